// Finds the files in a directory and below it that --include and --exclude let through, for file_selection.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.hpp"
#include "ops/files/file_list.hpp"

namespace azlock::ops {

// The globs. A filter must be asked about a directory before its contents: an excluded directory is not entered, and an
// included one includes all its contents. Paths are relative, as Glob needs them.
class FileFilter {
  public:
    // Error (usage): a bad glob.
    [[nodiscard]] static Result<FileFilter> make(const std::vector<std::string>& include,
                                                 const std::vector<std::string>& exclude);

    // True for everything if there is no glob to include.
    [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;
    [[nodiscard]] bool excludes(std::string_view path, bool is_directory) const;

  private:
    std::vector<Glob> include_;
    std::vector<Glob> exclude_;
};

// A directory's path in its three forms, each empty or ending in '/'.
struct WalkedDirectory {
    std::string path;
    std::string relative;  // below the source, for the globs
    std::string blob;
    bool included = false;  // a glob includes the whole directory
};

// Adds files, skipped entries and failures to `out`. Error: cancelled.
[[nodiscard]] Status walk_directory(const WalkedDirectory& root, const FileFilter& filter, SymlinkPolicy symlinks,
                                    const std::stop_token& stop, Selection& out);

}  // namespace azlock::ops
