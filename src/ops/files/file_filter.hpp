// --include and --exclude.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/glob.hpp"

namespace azlock::ops {

// Asked about each directory before what is in it: one that is excluded is not looked into, one that is included
// includes all in it. Paths are relative, as Glob wants them.
class FileFilter {
  public:
    // Error (usage): a bad glob.
    [[nodiscard]] static Result<FileFilter> make(const std::vector<std::string>& include,
                                                 const std::vector<std::string>& exclude);

    // True for everything where there is no glob to include.
    [[nodiscard]] bool includes(std::string_view path, bool is_directory) const;
    [[nodiscard]] bool excludes(std::string_view path, bool is_directory) const;

  private:
    std::vector<Glob> include_;
    std::vector<Glob> exclude_;
};

}  // namespace azlock::ops
