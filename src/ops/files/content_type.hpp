// Finds the content type of a file from its name.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ops/files/mime_globs.hpp"

namespace azlock::ops {

inline constexpr std::string_view kUnknownContentType = "application/octet-stream";

// The system's databases of content types.
struct ContentTypeFiles {
    std::vector<std::string> globs2;  // files of shared-mime-info, the most preferred first
    std::string mime_types;           // the older list, for names that globs2 does not know
};

// $XDG_DATA_HOME and $XDG_DATA_DIRS or their defaults, and /etc/mime.types. `variable`: getenv, or a stand-in in tests.
[[nodiscard]] ContentTypeFiles system_content_type_files(const std::function<const char*(const char*)>& variable);

// Thread-safe. Reads its files at the first call of of(). A file that is missing or cannot be read counts as empty. A
// name that no file knows is looked up in a small built-in table.
class ContentTypes {
  public:
    explicit ContentTypes(ContentTypeFiles files) : files_(std::move(files)) {}

    // The type for the last part of `path`; kUnknownContentType if the name is not known. Always valid in a header.
    [[nodiscard]] std::string of(std::string_view path) const;

  private:
    ContentTypeFiles files_;
    mutable std::once_flag once_;
    mutable std::array<MimeGlobs, 3> tables_;  // globs2, mime_types, built-in: the first that knows a name counts
};

// Gives an empty `type` that of `path` by the system's files.
void fill_content_type(std::string& type, std::string_view path);

}  // namespace azlock::ops
