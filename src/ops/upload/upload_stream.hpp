// Uploads the data of a pipe: content of up to one block as a single Put Blob, else blocks as they come and one commit.
#pragma once

#include "ops/upload/upload_blocks.hpp"

namespace azlock::ops {

struct StreamSource {
    int fd = -1;
    std::string name;          // for messages
    std::uint64_t memory = 0;  // for all buffers together, bytes
    // Checked before the commit. If one of them differs, nothing is committed and the error is data.
    std::optional<std::uint64_t> expect_size;
    std::optional<Sha256Sum> expect_sha256;
    // Called after the last byte, to ask if the producer ended well. Its error is returned, and nothing is committed.
    std::function<Status()> producer_ended;
};

// What upload_stream() refuses before it reads anything (usage): the size of a block, and the memory for it.
[[nodiscard]] Status check_stream(const StreamSource& source, const UploadOptions& options);

// Like upload_file() (upload_file.hpp), but a stream cannot be read twice: if somebody else's commit drops staged
// blocks, the upload fails (unavailable). Blocks that an earlier try of the same content staged are reused.
[[nodiscard]] Result<UploadReport> upload_stream(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                 const StreamSource& source, const UploadOptions& options,
                                                 const Transfer& transfer, const azure::Call& call);

}  // namespace azlock::ops
