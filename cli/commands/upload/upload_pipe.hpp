// `azlock upload - DEST` and `upload --exec DEST -- COMMAND`: content of unknown length.
#pragma once

#include "cli/flags/transfer_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/upload/request.hpp"

namespace azlock::cli {

void add_pipe_flags(Parser& command, ops::UploadRequest& request);

// If a command is the source and fails, its exit code becomes azlock's and nothing is committed.
[[nodiscard]] Status upload_pipe(ops::PipeSource source, ops::UploadOptions options, Opened& opened,
                                 TransferContext& transfer_context, Context& context);

}  // namespace azlock::cli
