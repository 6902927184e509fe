// Whether a part of a blob is what we have here, read without keeping it.
#pragma once

#include "azure/client.hpp"

namespace azlock::ops {

// Compares the blob from `offset` on with all of `expected`. False where they differ or the blob ends before; it may
// go on after. With `etag` only of that version: another one is an error (precondition).
[[nodiscard]] Result<bool> blob_holds(azure::BlobClient& client, const azure::BlobAddress& blob, std::uint64_t offset,
                                      const http::Body& expected, const std::string& etag, const azure::Call& call);

}  // namespace azlock::ops
