// What a user asks of an upload, and the order made from it: one file, several files or a pipe. Which wishes contradict
// one another is decided here.
#pragma once

#include <variant>

#include "ops/files/file_selection.hpp"
#include "ops/upload/upload_pipe.hpp"

namespace azlock::ops {

struct UploadRequest {
    std::vector<std::string> paths;    // the sources and the destination
    bool exec = false;                 // the output of `command` is the source
    std::vector<std::string> command;  // with `exec`
    SelectionRequest selection;        // which files; without sources, links and destination
    std::string symlinks;              // "skip" (default), "follow" or "refuse"
    bool dry_run = false;              // only say which files are taken
    std::optional<std::uint64_t> expect_size;
    std::string expect_sha256;  // hexadecimal
    UploadOptions options;
};

struct OneFile {
    std::string path;
};
struct ManyFiles {
    SelectionRequest selection;  // without destination
    bool dry_run = false;
};
struct UploadOrder {
    std::string destination;  // as given
    UploadOptions options;
    std::variant<OneFile, ManyFiles, PipeSource> source;  // the caller sets a pipe's memory
};

// The source is a pipe with `exec` and for "-" alone. It is several files if there are several paths, if a flag chooses
// among files, or if the path is a directory. Error: usage.
[[nodiscard]] Result<UploadOrder> make_upload_order(UploadRequest request);

// True if the error says that the upload was stopped, and the same command would continue it, because a part of the
// source is in the blob. `resuming`: a part was there before.
[[nodiscard]] bool can_be_continued(const Error& error, bool resuming, const Progress& progress);

}  // namespace azlock::ops
