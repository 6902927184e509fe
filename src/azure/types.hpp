// The protocol's plain values: conditions, properties, results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace azlock::azure {

// The x-ms-version that is sent unless another is asked for.
inline constexpr const char* kDefaultApiVersion = "2023-11-03";

// Names as given (the service ignores their case but keeps it); see names.hpp for what may stand in them.
using Metadata = std::map<std::string, std::string>;

// Guards of a request; empty fields are not sent. On writes the service takes one ETag or date condition only
// [blob-rest 5]. ETags are opaque and kept verbatim.
struct Conditions {
    std::string if_match;
    std::string if_none_match;
    std::string if_modified_since;    // RFC 1123
    std::string if_unmodified_since;  // RFC 1123
    std::string lease_id;

    // Any header but the lease id.
    [[nodiscard]] bool any() const {
        return !if_match.empty() || !if_none_match.empty() || !if_modified_since.empty() ||
               !if_unmodified_since.empty();
    }
};

// A checksum of the body in the request's header, which the service verifies before it keeps a byte.
struct Checksum {
    enum class Kind { none, md5, crc64 };
    Kind kind = Kind::none;
    std::string value;  // Base64
};

// Properties a client may set; empty fields are not sent (and so cleared by a write).
struct ContentHeaders {
    std::string type;
    std::string encoding;
    std::string language;
    std::string disposition;
    std::string cache_control;
    std::string md5;  // Base64; stored, and checked by Put Blob only
};

struct LeaseInfo {
    std::string status;    // locked | unlocked
    std::string state;     // available | leased | expired | breaking | broken
    std::string duration;  // infinite | fixed; empty unless leased
};

// A blob's or container's properties as HEAD, GET and List tell them. Absent ones are empty.
struct BlobProperties {
    std::string etag;  // verbatim, with its quotes where the service sent them
    std::string last_modified;
    std::string creation_time;
    std::uint64_t content_length = 0;  // of the whole blob, also in the answer to a ranged read
    ContentHeaders content;
    std::string blob_type;  // BlockBlob | AppendBlob | PageBlob
    std::string access_tier;
    bool access_tier_inferred = false;
    std::string version_id;
    bool sealed = false;
    std::optional<std::uint64_t> committed_block_count;  // append blobs
    std::uint64_t tag_count = 0;
    LeaseInfo lease;
    Metadata metadata;
};

struct ContainerProperties {
    std::string etag;
    std::string last_modified;
    std::string public_access;
    LeaseInfo lease;
    Metadata metadata;
    bool has_immutability_policy = false;
    bool has_legal_hold = false;
};

struct WriteResult {
    std::string etag;
    std::string last_modified;
    std::string version_id;
};

struct AppendResult {
    std::string etag;
    std::uint64_t offset = 0;  // where the bytes begin
    std::uint64_t committed_blocks = 0;
};

// What an answer of a lease operation says.
struct LeaseResult {
    std::string lease_id;             // acquire, renew, change
    std::optional<int> seconds_left;  // break: until it is free, 0 = now
    std::string etag;
    std::string date;  // the service's clock, RFC 1123
};

struct ListedBlob {
    std::string name;
    std::string snapshot;
    bool uncommitted_only = false;  // staged blocks but no committed content
    BlobProperties properties;
};

struct BlobPage {
    std::vector<ListedBlob> blobs;
    std::vector<std::string> prefixes;  // with a delimiter
    std::string next_marker;            // empty: this was the last page
    std::string date;                   // the service's clock, RFC 1123
};

struct ListedContainer {
    std::string name;
    ContainerProperties properties;
};

struct ContainerPage {
    std::vector<ListedContainer> containers;
    std::string next_marker;
};

}  // namespace azlock::azure
