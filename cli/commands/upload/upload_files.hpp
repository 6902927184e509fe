// `azlock upload` of several files or directories: which files, what is reported, and how failures count.
#pragma once

#include "cli/flags/transfer_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/upload/request.hpp"

namespace azlock::cli {

// Some of the flags are options of the uploads.
void add_files_flags(Parser& command, ops::UploadRequest& request, ops::UploadOptions& options);
// Every file is tried; the error at the end is that of the first file (in their order) that failed.
[[nodiscard]] Status upload_files(ops::ManyFiles files, const ops::UploadOptions& options, Opened& opened,
                                  TransferContext& transfer_context, Context& context);

}  // namespace azlock::cli
