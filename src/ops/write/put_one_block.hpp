// Writes small content as one block and a commit, so that the service checks the condition before it drops anybody's
// staged blocks.
#pragma once

#include <memory>

#include "azure/client.hpp"
#include "ops/write/block_digest.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

// Explains a refused Put Block if foreign staged blocks are the reason; else returns the error unchanged.
[[nodiscard]] Error explain_put_block(Error error);

// Sends Put Block (not for empty content), then Put Block List with the options of `put`. `sums`: of the content; its
// hash is of the kind that `plan` names, its checksum is the MD5 that the blob will have. An error of Put Block is
// explained and never has may_have_applied, because nothing was committed.
[[nodiscard]] Result<azure::WriteResult> put_one_block(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                       const std::shared_ptr<const http::Body>& content, PlanTag plan,
                                                       const BlockDigest& sums, const azure::PutBlobOptions& put,
                                                       const azure::Call& call);

}  // namespace azlock::ops
