// Reads that ask only for what is newer: --etag-file, and what "not modified" means for a command.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "azure/types.hpp"
#include "cli/program/context.hpp"

namespace azlock::cli {

void add_etag_file_flag(CLI::App& command, std::string& path);

// Reads the file into If-None-Match. Nothing where `path` is empty, or names a file that is missing or empty. Errors:
// usage (--if-none-match is given as well), data, input_missing.
[[nodiscard]] Status take_etag_file(const std::string& path, azure::Conditions& conditions);

// The outcome of a read that failed: 304 is no failure to complain of, but exit code 80 and a notice (an error with
// --json).
[[nodiscard]] Status read_failed(Context& context, const azure::BlobAddress& blob, const Error& error);

}  // namespace azlock::cli
