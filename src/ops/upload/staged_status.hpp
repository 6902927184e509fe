// Finds out what an interrupted upload has staged, and how much of a local file that is.
#pragma once

#include <string>

#include "azure/client.hpp"
#include "ops/upload/upload_options.hpp"

namespace azlock::ops {

struct StagedStatus {
    std::uint64_t staged_blocks = 0;  // by azlock
    std::uint64_t staged_bytes = 0;
    std::uint64_t foreign_blocks = 0;  // staged by another tool
    std::uint64_t foreign_bytes = 0;
    std::uint64_t file_blocks = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t present_blocks = 0;  // blocks of the file that the blob has, staged or committed
    std::uint64_t present_bytes = 0;
};

// Reads and hashes the whole file. Sends only Get Block List. Error: not_found if nothing is staged.
[[nodiscard]] Result<StagedStatus> staged_status(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                 const std::string& path, const UploadOptions& options,
                                                 const azure::Call& call);

}  // namespace azlock::ops
