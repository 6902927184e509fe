// Uploads one file: a single Put Blob up to one block, else parallel blocks and one conditional commit.
#pragma once

#include <string>

#include "ops/upload/upload_blocks.hpp"

namespace azlock::ops {

// The blob holds either all of the file or what it held before, whatever happens in between: blocks that were staged
// stay staged, committed data is replaced by the commit alone, and that only over the version it was planned against.
// A file of one block without condition and fence is one unguarded Put Blob (put_whole.hpp).
// Errors: data (the file changed while it was read), precondition (the user's condition), busy (leased), ...
[[nodiscard]] Result<UploadReport> upload_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                               const std::string& path, const UploadOptions& options,
                                               const Transfer& transfer, const azure::Call& call);

// Files up to this size are one Put Blob.
[[nodiscard]] std::uint64_t largest_put(const UploadOptions& options, std::uint64_t file_size);

}  // namespace azlock::ops
