// The content type of a file, from its name.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace azlock::ops {

inline constexpr std::string_view kUnknownContentType = "application/octet-stream";

// Where the system keeps what it knows.
struct ContentTypeFiles {
    std::vector<std::string> globs2;  // shared-mime-info's, the most preferred first
    std::string mime_types;           // the older list, for what they do not know
};

// $XDG_DATA_HOME and $XDG_DATA_DIRS or their defaults, and /etc/mime.types. `variable`: getenv, or a test's own.
[[nodiscard]] ContentTypeFiles system_content_type_files(const std::function<const char*(const char*)>& variable);

// Thread-safe. Reads its files when it is first asked; one that is missing or cannot be read is as an empty one. What
// none of them knows is looked for in a small table of our own.
class ContentTypes {
  public:
    explicit ContentTypes(ContentTypeFiles files);
    ~ContentTypes();
    ContentTypes(const ContentTypes&) = delete;
    ContentTypes& operator=(const ContentTypes&) = delete;

    // Of the last part of `path`; kUnknownContentType where its name says nothing. Always fit for a header.
    [[nodiscard]] std::string of(std::string_view path) const;

  private:
    struct Tables;
    void load() const;

    ContentTypeFiles files_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<const Tables> tables_;
};

}  // namespace azlock::ops
