// The Blob service as a set of calls: make the request, send it through the pipeline, read the answer.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "azure/pipeline.hpp"
#include "azure/requests.hpp"
#include "azure/responses.hpp"
#include "azure/types.hpp"

namespace azlock::azure {

// Thread-safe. Each method is one REST operation of requests.hpp with its retries. An Error with may_have_applied says
// that a write may have been carried out. If a method resolves this without a look at the blob, its comment says so.
class BlobClient {
  public:
    BlobClient(Pipeline& pipeline, Endpoint endpoint) : pipeline_(pipeline), endpoint_(std::move(endpoint)) {}

    [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
    [[nodiscard]] Clock& clock() const { return pipeline_.clock(); }
    [[nodiscard]] Random& random() const { return pipeline_.random(); }
    [[nodiscard]] const Credential& credential() const { return pipeline_.credential(); }

    // Blobs
    [[nodiscard]] Result<WriteResult> put_blob(const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                                               const PutBlobOptions& options, const Call& call);
    // `sink` gets the content of a 200 or 206 and nothing else. It must outlive the call and forget what it has if
    // begin() is called again. With a range, the content begins at the offset of the range.
    struct GetResult {
        BlobProperties properties;
        std::optional<ContentRange> range;
    };
    [[nodiscard]] Result<GetResult> get_blob(const BlobAddress& blob, const std::optional<ByteRange>& range,
                                             const Conditions& conditions, http::BodySink& sink, const Call& call);
    struct HeadResult {
        BlobProperties properties;
        std::string date;  // the service's clock, RFC 1123
    };
    [[nodiscard]] Result<HeadResult> get_properties(const BlobAddress& blob, const Conditions& conditions,
                                                    const Call& call);
    [[nodiscard]] Result<WriteResult> set_metadata(const BlobAddress& blob, const Metadata& metadata,
                                                   const Conditions& conditions, const Call& call);
    // In the form of PutBlobOptions::tags.
    [[nodiscard]] Result<std::string> get_tags(const BlobAddress& blob, std::string_view lease_id, const Call& call);
    [[nodiscard]] Status delete_blob(const BlobAddress& blob, std::string_view snapshots, const Conditions& conditions,
                                     const Call& call);

    // Blocks
    [[nodiscard]] Status put_block(const BlobAddress& blob, std::string_view block_id,
                                   std::shared_ptr<const http::Body> body, const Checksum& checksum,
                                   std::string_view lease_id, const Call& call);
    [[nodiscard]] Result<WriteResult> put_block_list(const BlobAddress& blob,
                                                     const std::vector<BlockListEntry>& entries,
                                                     const PutBlockListOptions& options, const Call& call);
    // `visit` is called for each block. `restart` is called before the first block of every attempt.
    struct BlockListHead {
        std::string etag;                             // empty if nothing is committed as blocks
        std::optional<std::uint64_t> content_length;  // of the committed blob
    };
    [[nodiscard]] Result<BlockListHead> get_block_list(const BlobAddress& blob, BlockListType type,
                                                       std::string_view lease_id, BlockVisitor visit,
                                                       std::function<void()> restart, const Call& call);
    [[nodiscard]] Result<AppendResult> append_block(const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                                                    const AppendOptions& options, const Call& call);
    [[nodiscard]] Status seal(const BlobAddress& blob, std::optional<std::uint64_t> append_position,
                              const Conditions& conditions, const Call& call);

    // Containers. After a lost answer, "already exists" (create) and "does not exist" (delete) count as success.
    [[nodiscard]] Status create_container(std::string_view container, const Metadata& metadata,
                                          std::string_view public_access, const Call& call);
    // Makes a container without metadata; one that exists is a success.
    [[nodiscard]] Status ensure_container(std::string_view container, const Call& call);
    [[nodiscard]] Status delete_container(std::string_view container, const Conditions& conditions, const Call& call);
    [[nodiscard]] Result<ContainerProperties> get_container_properties(std::string_view container,
                                                                       std::string_view lease_id, const Call& call);
    [[nodiscard]] Status set_container_metadata(std::string_view container, const Metadata& metadata,
                                                const Conditions& conditions, const Call& call);
    [[nodiscard]] Result<BlobPage> list_blobs(std::string_view container, const ListOptions& options, const Call& call);
    [[nodiscard]] Result<ContainerPage> list_containers(const ListOptions& options, const Call& call);
    // Only for the token of a login.
    [[nodiscard]] Result<UserKey> get_user_key(WallTime start, WallTime end, const Call& call);

    // Leases of a blob, or of a container if the address names no blob. Acquire, renew and change return the current
    // lease id, break returns the seconds left. A release that is refused after a lost answer counts as success.
    [[nodiscard]] Result<LeaseResult> acquire_lease(const BlobAddress& target, int duration_seconds,
                                                    std::string_view proposed_id, const Conditions& conditions,
                                                    const Call& call);
    [[nodiscard]] Result<LeaseResult> renew_lease(const BlobAddress& target, std::string_view lease_id,
                                                  const Conditions& conditions, const Call& call);
    [[nodiscard]] Result<LeaseResult> change_lease(const BlobAddress& target, std::string_view lease_id,
                                                   std::string_view proposed_id, const Conditions& conditions,
                                                   const Call& call);
    [[nodiscard]] Status release_lease(const BlobAddress& target, std::string_view lease_id,
                                       const Conditions& conditions, const Call& call);
    [[nodiscard]] Result<LeaseResult> break_lease(const BlobAddress& target, std::optional<int> break_period_seconds,
                                                  const Conditions& conditions, const Call& call);

  private:
    Pipeline& pipeline_;
    Endpoint endpoint_;
};

}  // namespace azlock::azure
