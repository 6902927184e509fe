// Uploads what comes out of a pipe: a single Put Blob up to one block, else blocks as they are read and one commit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/upload/upload_blocks.hpp"

namespace azlock::ops {

struct StreamSource {
    int fd = -1;
    std::string name;          // for messages
    std::uint64_t memory = 0;  // for all buffers together, bytes
    // What must hold before the commit; else nothing is committed and the error is data.
    std::optional<std::uint64_t> expect_size;
    std::optional<Sha256Sum> expect_sha256;
    // Asked after the last byte: whether the producer ended well. Its error is passed on, and nothing is committed.
    std::function<Status()> producer_ended;
};

// As upload_file() (uploader.hpp), but a stream cannot be read twice: blocks that a peer's commit discards are lost
// (unavailable). Blocks that an earlier try of the same content staged are reused.
[[nodiscard]] Result<UploadReport> upload_stream(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                 const StreamSource& source, const UploadOptions& options,
                                                 const Transfer& transfer, const azure::Call& call);

}  // namespace azlock::ops
