// Computes the hash of a block's id and the checksum of its request in one pass over its bytes.
#pragma once

#include "azure/types.hpp"
#include "http/message.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

struct BlockDigest {
    Sha256Sum hash{};  // in the form of BlockId::hash
    azure::Checksum checksum;
};

// Errors: those of the body.
[[nodiscard]] Result<BlockDigest> digest_block(const http::Body& body, HashKind hash, azure::Checksum::Kind checksum);

}  // namespace azlock::ops
