// Uploads one file: content of up to one block as a single Put Blob, else parallel blocks and one conditional commit.
#pragma once

#include "ops/upload/upload_blocks.hpp"

namespace azlock::ops {

// The blob holds either the whole file or its old content, whatever happens in between. Staged blocks stay staged. Only
// the commit replaces committed data, and only the version that it was planned against. A file of one block without
// condition and fence is sent by one unconditional Put Blob (put_blob.hpp).
// `walked`: the file that a walk has found at `path`; no other is opened in its place.
// Errors: data (the file changed while it was read, or is not the one that the walk saw), precondition (the user's
// condition), busy (leased), ...
[[nodiscard]] Result<UploadReport> upload_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                               const std::string& path, const UploadOptions& options,
                                               const Transfer& transfer, const azure::Call& call,
                                               const std::optional<WalkedFile>& walked = {});

// If the address names no blob, or ends in '/', the blob gets the file's name. Error (usage): the path ends in no name,
// or the service would not keep the name as it is.
[[nodiscard]] Status name_blob(const std::string& path, azure::BlobAddress& address);

// Files of at most this size (bytes) are sent by one Put Blob.
[[nodiscard]] std::uint64_t largest_put(const UploadOptions& options, std::uint64_t file_size);

}  // namespace azlock::ops
