// One pure function for each REST operation: arguments in, request out. No network, no clock, no credential.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "azure/address.hpp"
#include "azure/types.hpp"
#include "base/clock.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// What a second send of a request does if the first may have been carried out although no answer came (docs/rest.md).
enum class Replay {
    harmless,     // reads, and writes that may be sent twice without harm: the pipeline repeats them
    conditional,  // a condition or the operation itself lets it happen only once: the pipeline repeats it. If the
                  // repeat is refused, the outcome is unclear (Error::may_have_applied): the caller must read back
    ambiguous,    // a repeat may do it twice: the pipeline never repeats it once it may have been carried out
};

struct Operation {
    std::string_view name;  // REST operation name, "Put Block"
    http::Request request;  // without x-ms-version, date, client request id and authorization
    Replay replay = Replay::harmless;
    int expected = 200;                   // the status that means success
    std::string target;                   // for messages
    std::uint64_t expected_download = 0;  // bytes, for the deadline of an attempt; 0: few
};
[[nodiscard]] inline bool is_write(const Operation& op) {
    return op.request.method == http::Method::put || op.request.method == http::Method::del;
}

struct PutBlobOptions {
    std::string blob_type = "BlockBlob";  // or AppendBlob, with an empty body
    ContentHeaders content;
    Metadata metadata;
    std::string tags;  // URL-encoded "k=v&k=v"
    std::string access_tier;
    Checksum checksum;
    Conditions conditions;
    bool once = false;  // not repeated after a lost answer, even if only a missing blob may be written: somebody may
                        // have deleted the blob since
};
// 201. Replaces content, properties and metadata; discards staged blocks. [Put Blob]
[[nodiscard]] Operation make_put_blob(const Endpoint& endpoint, const BlobAddress& blob,
                                      std::shared_ptr<const http::Body> body, const PutBlobOptions& options);

// 201. `block_id` in Base64. Takes no ETag condition. [Put Block]
[[nodiscard]] Operation make_put_block(const Endpoint& endpoint, const BlobAddress& blob, std::string_view block_id,
                                       std::shared_ptr<const http::Body> body, const Checksum& checksum,
                                       std::string_view lease_id);

enum class BlockSource { latest, committed, uncommitted };
struct BlockListEntry {
    BlockSource source = BlockSource::latest;
    std::string id;  // Base64
};
// The XML body of Put Block List.
[[nodiscard]] std::string make_block_list_xml(const std::vector<BlockListEntry>& entries);

struct PutBlockListOptions {
    ContentHeaders content;
    Metadata metadata;
    std::string tags;
    std::string access_tier;
    Conditions conditions;
};
// 201. [Put Block List]
[[nodiscard]] Operation make_put_block_list(const Endpoint& endpoint, const BlobAddress& blob,
                                            const std::vector<BlockListEntry>& entries,
                                            const PutBlockListOptions& options);

enum class BlockListType { committed, uncommitted, all };
// 200. [Get Block List]
[[nodiscard]] Operation make_get_block_list(const Endpoint& endpoint, const BlobAddress& blob, BlockListType type,
                                            std::string_view lease_id);

struct AppendOptions {
    std::optional<std::uint64_t> append_position;  // x-ms-blob-condition-appendpos
    std::optional<std::uint64_t> max_size;         // x-ms-blob-condition-maxsize
    Checksum checksum;
    Conditions conditions;
};
// 201. [Append Block]
[[nodiscard]] Operation make_append_block(const Endpoint& endpoint, const BlobAddress& blob,
                                          std::shared_ptr<const http::Body> body, const AppendOptions& options);
// 200. [Append Blob Seal]
[[nodiscard]] Operation make_seal(const Endpoint& endpoint, const BlobAddress& blob,
                                  std::optional<std::uint64_t> append_position, const Conditions& conditions);

struct ByteRange {
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;  // nullopt: to the end; never 0
};
// 200 without a range, 206 with one; 304 or 412 if a condition is not met. [Get Blob]
[[nodiscard]] Operation make_get_blob(const Endpoint& endpoint, const BlobAddress& blob,
                                      const std::optional<ByteRange>& range, const Conditions& conditions);
// 200; XML of the blob's index tags.
[[nodiscard]] Operation make_get_blob_tags(const Endpoint& endpoint, const BlobAddress& blob,
                                           std::string_view lease_id);
// HEAD, 200. [Get Blob Properties]
[[nodiscard]] Operation make_get_blob_properties(const Endpoint& endpoint, const BlobAddress& blob,
                                                 const Conditions& conditions);
// 200; clears the properties that are not given. [Set Blob Metadata]
// 200; replaces all pairs. [Set Blob Metadata]
[[nodiscard]] Operation make_set_blob_metadata(const Endpoint& endpoint, const BlobAddress& blob,
                                               const Metadata& metadata, const Conditions& conditions);
// 202. `snapshots`: "", "include" or "only". [Delete Blob]
[[nodiscard]] Operation make_delete_blob(const Endpoint& endpoint, const BlobAddress& blob, std::string_view snapshots,
                                         const Conditions& conditions);

// Containers [Operations on Containers]. Of the conditions, only the dates and the lease id are sent; Set Container
// Metadata sends only If-Modified-Since and the lease id.
[[nodiscard]] Operation make_create_container(const Endpoint& endpoint, std::string_view container,
                                              const Metadata& metadata, std::string_view public_access);
[[nodiscard]] Operation make_delete_container(const Endpoint& endpoint, std::string_view container,
                                              const Conditions& conditions);
[[nodiscard]] Operation make_get_container_properties(const Endpoint& endpoint, std::string_view container,
                                                      std::string_view lease_id);
[[nodiscard]] Operation make_set_container_metadata(const Endpoint& endpoint, std::string_view container,
                                                    const Metadata& metadata, const Conditions& conditions);

struct ListOptions {
    std::string prefix;
    std::string delimiter;
    std::string marker;
    std::optional<int> max_results;  // 1..5000
    std::string include;             // comma-separated: metadata,uncommittedblobs,snapshots,...
};
// 200. [List Blobs]
[[nodiscard]] Operation make_list_blobs(const Endpoint& endpoint, std::string_view container,
                                        const ListOptions& options);
[[nodiscard]] Operation make_list_containers(const Endpoint& endpoint, const ListOptions& options);
// 200. A key for that time, of at most seven days from now. Only for the token of a login. [Get User Delegation Key]
[[nodiscard]] Operation make_get_user_key(const Endpoint& endpoint, WallTime start, WallTime end);

// Leases of a blob, or of a container if the address names no blob [Lease Blob]. -1 is an infinite duration. The
// lease id of the conditions is not sent.
[[nodiscard]] Operation make_acquire_lease(const Endpoint& endpoint, const BlobAddress& target, int duration_seconds,
                                           std::string_view proposed_id, const Conditions& conditions);
[[nodiscard]] Operation make_renew_lease(const Endpoint& endpoint, const BlobAddress& target, std::string_view lease_id,
                                         const Conditions& conditions);
[[nodiscard]] Operation make_change_lease(const Endpoint& endpoint, const BlobAddress& target,
                                          std::string_view lease_id, std::string_view proposed_id,
                                          const Conditions& conditions);
[[nodiscard]] Operation make_release_lease(const Endpoint& endpoint, const BlobAddress& target,
                                           std::string_view lease_id, const Conditions& conditions);
[[nodiscard]] Operation make_break_lease(const Endpoint& endpoint, const BlobAddress& target,
                                         std::optional<int> break_period_seconds, const Conditions& conditions);

}  // namespace azlock::azure
