// Writes small content as one block and a commit, so that the service checks the condition before it drops anybody's
// staged blocks.
#pragma once

#include <memory>

#include "azure/client.hpp"
#include "ops/write/block_digest.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

// The error of a Put Block as that of its upload: nothing was committed, so it has no may_have_applied. Explains a
// refusal whose reason is foreign staged blocks.
[[nodiscard]] Error explain_put_block(Error error);

// The options of the commit of a block list that makes what Put Blob with `put` and this MD5 would make.
[[nodiscard]] azure::PutBlockListOptions commit_of(const azure::PutBlobOptions& put, const azure::Checksum& md5);

// Sends Put Block (not for empty content), then Put Block List with the options of `put`. `sums`: of the content; its
// hash is of the kind that `plan` names, its checksum is the MD5 that the blob will have. An error of Put Block is
// explained.
[[nodiscard]] Result<azure::WriteResult> put_one_block(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                       const std::shared_ptr<const http::Body>& content, PlanTag plan,
                                                       const BlockDigest& sums, const azure::PutBlobOptions& put,
                                                       const azure::Call& call);

}  // namespace azlock::ops
