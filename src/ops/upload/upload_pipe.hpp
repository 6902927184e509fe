// Uploads standard input, or what a command writes, as one blob: committed only if the input came whole.
#pragma once

#include <vector>

#include "ops/upload/upload_stream.hpp"

namespace azlock::ops {

struct PipeSource {
    std::vector<std::string> command;  // its output is uploaded; empty: standard input
    std::uint64_t memory = 0;          // for all buffers together, bytes
    // Checked before the commit (upload_stream.hpp).
    std::optional<std::uint64_t> expect_size;
    std::optional<Sha256Sum> expect_sha256;
};

struct PipeEnd {
    Result<UploadReport> report;
    std::optional<int> exit_code = {};  // of a command that failed, or why it was not started (os/exit_status.hpp)
};

// The command is started after the target was checked. If it does not end with 0, nothing is committed (data); if the
// upload fails, the command is ended. Without a content type in the options it is that of the blob's name. Further
// errors: usage (the address names no blob, or the options are about files), and those of upload_stream().
[[nodiscard]] PipeEnd upload_pipe(azure::BlobClient& client, const azure::BlobAddress& blob, const PipeSource& source,
                                  UploadOptions options, const Transfer& transfer, const azure::Call& call);

}  // namespace azlock::ops
