// The flags of commands that write a blob's content from a file: upload and resume.
#pragma once

#include <optional>
#include <string>

#include "cli/flags/content_flags.hpp"
#include "cli/flags/fence_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/transfer_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/upload/upload_options.hpp"

namespace azlock::cli {

struct UploadFlags {
    ops::UploadOptions options;  // the parser sets some of its members
    ContentFlags content;
    bool fresh = false;
    std::string cut;
    std::string hash;
    ConditionFlags conditions;
    FenceFlags fence;
    TransferFlags transfer;
};

// `resuming`: leaves out the flags that make no sense for `resume`.
void add_upload_flags(Parser& command, UploadFlags& flags, bool resuming);

// Error: usage.
[[nodiscard]] Result<ops::UploadOptions> read_upload_options(const UploadFlags& flags);

// "uploaded 1.0 GiB in 128 blocks (100 were there already, 224 MiB sent), 2.1s"
[[nodiscard]] std::string upload_text(const ops::UploadReport& report, std::chrono::milliseconds took);
// The hash that proves the content: "sha256" or "xxh3" in the block ids, "md5" for a single Put Blob.
[[nodiscard]] std::string proof_of(const ops::UploadReport& report);
[[nodiscard]] Json upload_json(const std::string& target, const ops::UploadReport& report);

}  // namespace azlock::cli
