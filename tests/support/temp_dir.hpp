// A directory that lives as long as the test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace azlock::test {

// Made under $TMPDIR or /tmp; removed with all that is in it.
class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    // The path of `name` in it.
    [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
    // Writes a file and returns its path.
    std::string write(std::string_view name, std::string_view content) const;
    // Sorted names, hidden ones included.
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    std::string path_;
};

// The content of a file; throws if it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace azlock::test
