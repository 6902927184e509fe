// Finds out what an interrupted upload has staged, and how much of a local file that is.
#pragma once

#include "ops/transfer/progress.hpp"
#include "ops/upload/block_inventory.hpp"
#include "ops/upload/upload_options.hpp"

namespace azlock::ops {

struct StagedStatus {
    BlockInventory::Tally staged;   // by azlock
    BlockInventory::Tally foreign;  // staged by another tool
    BlockInventory::Tally file;
    BlockInventory::Tally present;  // blocks of the file that the blob has, staged or committed

    // How much of the file is present; 100 for an empty file.
    [[nodiscard]] double percent() const {
        return file.bytes == 0 ? 100.0 : 100.0 * static_cast<double>(present.bytes) / static_cast<double>(file.bytes);
    }
};

// Reads and hashes the whole file. Sends only Get Block List. `progress`: or null. Error: not_found if nothing is
// staged.
[[nodiscard]] Result<StagedStatus> staged_status(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                 const std::string& path, const UploadOptions& options,
                                                 const azure::Call& call, Progress* progress = nullptr);

}  // namespace azlock::ops
