// `azlock upload` of several files or directories: which files, what is reported, and how failures count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/upload/upload_flags.hpp"
#include "ops/files/file_selection.hpp"

namespace azlock::cli {

struct FilesFlags {
    bool recursive = false;
    std::optional<std::string> from;
    bool null_separated = false;
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::string symlinks;  // empty: skip
    bool no_overwrite = false;
    bool skip_unchanged = false;
    bool dry_run = false;

    // Flags that choose among files.
    [[nodiscard]] bool selects() const {
        return recursive || from || !include.empty() || !exclude.empty() || !symlinks.empty() || dry_run;
    }
};
void add_files_flags(Parser& command, FilesFlags& flags);
// Error: usage.
[[nodiscard]] Status check_files_flags(const FilesFlags& flags, const ops::UploadOptions& options);

// Every file is tried; the error at the end is that of the first file (in their order) that failed.
[[nodiscard]] Status upload_files(const std::vector<std::string>& sources, const FilesFlags& flags,
                                  ops::UploadOptions options, Opened& opened, TransferContext& session,
                                  bool json_progress, Context& context);

}  // namespace azlock::cli
