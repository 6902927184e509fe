// `azlock upload - DEST` and `upload --exec DEST -- COMMAND`: content of unknown length.
#pragma once

#include "cli/commands/upload/upload_flags.hpp"

namespace azlock::cli {

struct PipeFlags {
    std::optional<std::uint64_t> expect_size;
    std::string expect_sha256;  // hexadecimal
    [[nodiscard]] bool any() const { return expect_size || !expect_sha256.empty(); }
};
void add_pipe_flags(Parser& command, PipeFlags& flags);

// `command` empty: standard input. If the command fails, its exit code becomes azlock's and nothing is committed.
[[nodiscard]] Status upload_pipe(const std::vector<std::string>& command, const PipeFlags& flags,
                                 ops::UploadOptions options, Opened& opened, TransferContext& transfer_context,
                                 bool json_progress, Context& context);

}  // namespace azlock::cli
