// Creates a blob at most once, even if answers are lost and others create and delete the same blob meanwhile.
#pragma once

#include "ops/write/conditional_write.hpp"

namespace azlock::ops {

// Stages the content as a block of its own, then commits this block under the condition that there is no blob. Only one
// commit can use up the block, so no repeat creates the blob a second time after somebody has deleted it. (Empty
// content cannot be staged: then a repeat may create the empty blob again.) `put` has no conditions, but the blob's MD5
// as its checksum. `write_id` must be new for every call. An error without may_have_applied is a certain "no":
// BlobAlreadyExists or ConditionNotMet if others were faster. After a lost answer the proof of it is that our block is
// still staged. Without a proof the error is unavailable with may_have_applied: the present blob may be a later one,
// which others created after ours was deleted.
[[nodiscard]] Result<Written> create_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                          const std::shared_ptr<const http::Body>& content,
                                          const azure::PutBlobOptions& put, std::uint64_t write_id,
                                          const std::string& lease_id, const azure::Call& call);

}  // namespace azlock::ops
