// The flags of commands that write a blob's content from a file: upload and resume.
#pragma once

#include "cli/flags/fence_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/transfer_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/upload/upload_options.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::cli {

struct UploadFlags {
    ops::UploadOptions options;  // the parser sets some of its members
    ops::ContentRequest content;
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

}  // namespace azlock::cli
