// What the floor does: azlock's work with nothing around it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/floor_connection.hpp"

namespace azlock::bench {

enum class BlockHash { none, sha256, xxh3 };

struct FloorWork {
    Server server;
    std::string path;  // of the blob (small requests: the beginning of each blob's path)
    std::size_t threads = 4;
    BlockHash hash = BlockHash::sha256;
    std::uint64_t block_size = 8 * 1024 * 1024;
};

// Both return the number of requests, and throw if one fails.

// Each block of the file is read, hashed and summed (CRC64) in one pass, and sent under an id made of the hash; one
// Put Block List commits. Without a hash: neither hash nor sum, the id is the block's number.
std::uint64_t send_file(const FloorWork& work, const std::string& file);

// `count` Put Blobs of `size` bytes each.
std::uint64_t send_small(const FloorWork& work, std::uint64_t count, std::size_t size);

}  // namespace azlock::bench
