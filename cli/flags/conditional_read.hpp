// Reads that want only a new version: --etag-file, and what "not modified" means for a command.
#pragma once

#include <string>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

void add_etag_file_flag(Parser& command, std::string& path);

// The outcome of a read that failed. A 304 gives exit code 80 and a notice instead of an error (with --json an error).
[[nodiscard]] Status read_failed(Context& context, const azure::BlobAddress& blob, const Error& error);

}  // namespace azlock::cli
