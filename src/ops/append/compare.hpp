// Compares a part of a blob with local content, without keeping the bytes that it reads.
#pragma once

#include "azure/client.hpp"

namespace azlock::ops {

// Compares the blob from `offset` on with the first `size` bytes of `expected`. False if they differ or the blob ends
// too early; the blob may be longer. With `etag`: another version of the blob is an error (precondition).
[[nodiscard]] Result<bool> blob_holds(azure::BlobClient& client, const azure::BlobAddress& blob, std::uint64_t offset,
                                      const http::Body& expected, std::uint64_t size, const std::string& etag,
                                      const azure::Call& call);

}  // namespace azlock::ops
