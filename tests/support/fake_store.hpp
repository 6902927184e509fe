// What the fake service remembers: containers, blobs, blocks. Only the data and the ways to find it, no rules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_conditions.hpp"
#include "support/fake_lease.hpp"
#include "support/fake_wire.hpp"

namespace azlock::test::fake {

using Data = std::shared_ptr<const std::string>;
using Metadata = std::vector<std::pair<std::string, std::string>>;  // names as they were sent

// 0: the service's limit for that x-ms-version. Tests set smaller limits that they can reach.
struct Limits {
    std::uint64_t put_blob = 0;
    std::uint64_t put_block = 0;
    std::uint64_t append_block = 0;
    std::size_t committed_blocks = 50'000;  // also appends
    std::size_t uncommitted_blocks = 100'000;
    std::size_t metadata_bytes = 8 * 1024;
};

struct Properties {
    std::string content_type;
    std::string content_encoding;
    std::string content_language;
    std::string content_md5;
    std::string cache_control;
    std::string content_disposition;
};

struct Block {
    std::string id;  // Base64, as sent
    Data bytes;
};

enum class BlobType { block, append };

struct Blob {
    BlobType type = BlobType::block;
    bool committed = false;      // false: staged blocks only
    std::vector<Block> content;  // the committed blocks; what Put Blob and appends wrote has no id
    std::map<std::string, Block> staged;
    BootTime last_staged;
    std::string etag;
    WallTime last_modified;
    WallTime created;
    Properties properties;
    Metadata metadata;
    std::string tags;
    std::string tier;
    bool sealed = false;
    Lease lease{"Blob"};

    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t length) const;
};

struct Container {
    std::string etag;
    WallTime last_modified;
    Metadata metadata;
    std::string public_access;  // "", "blob", "container"
    Lease lease{"Container"};
    std::map<std::string, Blob> blobs;
};

struct Store {
    Limits limits;
    std::chrono::nanoseconds container_deletion{};  // how long a deleted container's name cannot be used
    std::size_t list_page_limit = 5000;
    bool list_starts_empty = false;
    bool staged_blocks_refuse_create = false;

    std::map<std::string, Container> containers;
    std::map<std::string, BootTime> deleted;  // when each container's name is free again
    std::uint64_t last_tick = 0;

    // An ETag that no version had before, without quotes.
    [[nodiscard]] std::string next_etag(WallTime wall);
    [[nodiscard]] Container* find_container(const std::string& name);
    // Drops staged blocks that are older than a week.
    [[nodiscard]] Blob* find_blob(const Call& call);
};

// The blob as conditions see it.
[[nodiscard]] Subject subject_of(const Blob* blob);
void touch(Store& store, Blob& blob, WallTime wall);

// Reads x-ms-meta-* of the request. Replaces `metadata` if the headers are legal.
[[nodiscard]] Check read_metadata(const Call& call, const Limits& limits, Metadata& metadata);
void write_metadata(const Metadata& metadata, http::Headers& out);
// Sets ETag and Last-Modified.
void write_version(const std::string& etag, WallTime last_modified, http::Headers& out);

}  // namespace azlock::test::fake
