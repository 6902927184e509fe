// The protocol's plain values: conditions, properties, results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace azlock::azure {

// The x-ms-version that is sent unless another is asked for.
inline constexpr const char* kDefaultApiVersion = "2023-11-03";

// Names as given (the service ignores their case but keeps it). See names.hpp for the rules.
using Metadata = std::map<std::string, std::string>;

// The conditions of a request; empty fields are not sent. For a write, the service takes only one ETag or date
// condition [Conditional headers]. ETags are opaque and kept verbatim.
struct Conditions {
    std::string if_match;
    std::string if_none_match;
    std::string if_modified_since;    // RFC 1123
    std::string if_unmodified_since;  // RFC 1123
    std::string lease_id;

    // True if any condition but the lease id is set.
    [[nodiscard]] bool any() const {
        return !if_match.empty() || !if_none_match.empty() || !if_modified_since.empty() ||
               !if_unmodified_since.empty();
    }
};

// A checksum of the body in a header of the request. The service verifies it before it stores anything.
struct Checksum {
    enum class Kind { none, md5, crc64 };
    Kind kind = Kind::none;
    std::string value;  // Base64
};

// Properties that a client may set. Empty fields are not sent, so a write clears them.
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

// The properties of a blob as HEAD, GET and List return them. Absent ones are empty.
struct BlobProperties {
    std::string etag;  // with its quotes, also if the service sent none (listings)
    std::string last_modified;
    std::string creation_time;
    std::uint64_t content_length = 0;  // of the whole blob, even in the answer to a ranged read
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

// The answer of a lease operation.
struct LeaseResult {
    std::string lease_id;             // acquire, renew, change
    std::optional<int> seconds_left;  // break: until the lease is free; 0: now
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
