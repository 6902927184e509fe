// Small content as one block and its commit: a way to make a blob that discards nobody's staged blocks before the
// service has checked the condition.
#pragma once

#include <memory>

#include "ops/upload/block_digest.hpp"
#include "ops/upload/upload_target.hpp"

namespace azlock::ops {

// The hash of the block's id.
[[nodiscard]] inline HashKind hash_of_block(const UploadOptions& options) {
    return options.hash.value_or(HashKind::sha256);
}

// Put Block (none where the content is empty) and Put Block List with what `put` says. `sums` are of the content:
// hash_of_block(), and the MD5 that the blob will have. An error of the Put Block never has may_have_applied: nothing
// was committed.
[[nodiscard]] Result<azure::WriteResult> put_as_block(const Destination& destination,
                                                      const std::shared_ptr<const http::Body>& content,
                                                      const BlockDigest& sums, const azure::PutBlobOptions& put,
                                                      const azure::Call& call);

}  // namespace azlock::ops
