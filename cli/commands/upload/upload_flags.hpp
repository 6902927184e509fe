// The flags of commands that write a blob's content from a file: upload and resume.
#pragma once

#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "cli/flags/content_flags.hpp"
#include "cli/flags/fence_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/transfer_flags.hpp"
#include "ops/upload/upload_options.hpp"

namespace azlock::cli {

struct UploadFlags {
    ops::UploadOptions options;  // filled as far as the parser can
    ContentFlags content;
    bool fresh = false;
    std::string cut;
    std::string hash;
    ConditionFlags conditions;
    FenceFlags fence;
    TransferFlags transfer;
};

// `resuming`: without the flags that make no sense there.
void add_upload_flags(CLI::App& command, UploadFlags& flags, bool resuming);

// Error: usage.
[[nodiscard]] Result<ops::UploadOptions> read_upload_options(const UploadFlags& flags);

// "uploaded 1.0 GiB in 128 blocks (100 reused, 28 sent: 224 MiB), 2.1s"
[[nodiscard]] std::string upload_text(const ops::UploadReport& report, std::chrono::milliseconds took);
// The integrity of what is there now: "sha256" or "xxh3" by block ids, "md5" for a single Put Blob.
[[nodiscard]] std::string proof_of(const ops::UploadReport& report);
[[nodiscard]] Json upload_json(const std::string& target, const ops::UploadReport& report);

}  // namespace azlock::cli
