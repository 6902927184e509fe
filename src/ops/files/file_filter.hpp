// The filter of --include and --exclude.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/glob.hpp"

namespace azlock::ops {

// It must be asked about a directory before its contents: an excluded directory is not entered, and an included one
// includes all its contents. Paths are relative, as Glob needs them.
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

}  // namespace azlock::ops
