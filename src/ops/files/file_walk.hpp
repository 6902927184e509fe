// Finds the files in a directory and below it, for file_selection.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "ops/files/file_filter.hpp"
#include "ops/files/selection.hpp"

namespace azlock::ops {

// Adds files, skipped entries and failures to `out`. The references must outlive this object.
class FileWalk {
  public:
    // A directory's path in its three forms, each empty or ending in '/'.
    struct Place {
        std::string path;
        std::string relative;  // below the source, for the globs
        std::string blob;
        bool included = false;  // a glob includes the whole directory
    };

    FileWalk(const FileFilter& filter, SymlinkPolicy symlinks, std::stop_token stop, Selection& out)
        : filter_(filter), symlinks_(symlinks), stop_(std::move(stop)), out_(out) {}

    // Error: cancelled.
    [[nodiscard]] Status take(const Place& root);

  private:
    [[nodiscard]] Status walk(const Place& place, FileList::Directory directory);
    [[nodiscard]] Status take_entry(const Place& place, FileList::Directory directory, std::string_view name);
    [[nodiscard]] Status enter(const Place& place, FileList::Directory parent, std::string_view name,
                               const struct stat& found);
    void take_other(const std::string& path, mode_t mode);
    void failed(Error error, const std::string& path);
    void failed_to_read(const std::string& path, int errno_value);

    const FileFilter& filter_;
    SymlinkPolicy symlinks_;
    std::stop_token stop_;
    Selection& out_;
    std::vector<std::pair<dev_t, ino_t>> above_;  // the directories that the walk is in
};

}  // namespace azlock::ops
