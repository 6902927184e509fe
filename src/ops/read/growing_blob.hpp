// An append blob that grows while it is read: what was there at the start is a prefix that does not change.
#pragma once

#include "azure/types.hpp"

namespace azlock::ops {

// Appends change the blob's ETag and no byte that is there, so a read of several requests is not bound to the ETag.
[[nodiscard]] inline bool may_grow(const azure::BlobProperties& blob) {
    return blob.blob_type == "AppendBlob" && !blob.creation_time.empty() && blob.committed_block_count.has_value();
}

// True if a later answer is about the same append blob as `first`, of the same length or longer: it was not deleted,
// made again or overwritten in between. Only a blob that was made again in the second of its creation, and has got as
// many bytes and blocks since, is taken for the same.
[[nodiscard]] inline bool is_same_growing_blob(const azure::BlobProperties& first, const azure::BlobProperties& later) {
    return may_grow(later) && later.creation_time == first.creation_time &&
           later.content_length >= first.content_length &&
           *later.committed_block_count >= first.committed_block_count.value_or(0);
}

}  // namespace azlock::ops
