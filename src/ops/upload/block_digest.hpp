// The hash of a block's id and the checksum of its request, from one pass over its bytes.
#pragma once

#include "azure/types.hpp"
#include "http/message.hpp"
#include "ops/upload/block_id.hpp"

namespace azlock::ops {

struct BlockDigest {
    Sha256Sum hash{};  // as it stands in a BlockId
    azure::Checksum checksum;
};

// Errors: those of the body.
[[nodiscard]] Result<BlockDigest> digest_block(const http::Body& body, HashKind hash, azure::Checksum::Kind checksum);

}  // namespace azlock::ops
