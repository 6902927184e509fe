// `azlock upload` of several files or directories: which files, what is reported, and how failures count.
#pragma once

#include "cli/commands/upload/upload_flags.hpp"
#include "ops/files/file_selection.hpp"

namespace azlock::cli {

struct FilesFlags {
    ops::SelectionRequest selection;  // without sources and destination
    std::string symlinks;             // empty: skip
    bool dry_run = false;

    // Flags that choose among files.
    [[nodiscard]] bool selects() const {
        return selection.recursive || selection.files_from || !selection.include.empty() ||
               !selection.exclude.empty() || !symlinks.empty() || dry_run;
    }
};
// Some of the flags are options of the uploads.
void add_files_flags(Parser& command, FilesFlags& flags, ops::UploadOptions& options);
// Every file is tried; the error at the end is that of the first file (in their order) that failed.
[[nodiscard]] Status upload_files(const std::vector<std::string>& sources, const FilesFlags& flags,
                                  ops::UploadOptions options, Opened& opened, TransferContext& transfer_context,
                                  bool json_progress, Context& context);

}  // namespace azlock::cli
