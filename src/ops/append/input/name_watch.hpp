// Finds every file that gets a certain name, also one that has already lost it again.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/file.hpp"

namespace azlock::ops {

struct NamedFile {
    Fd fd;
    FileIdentity identity;
};

// Watches the folder of the name (inotify). A file that was renamed since the last look is opened under its new name in
// the same folder. One that was deleted or moved elsewhere before it could be opened is reported. Without inotify, and
// for what a symbolic link points to, only the file that has the name at a look is found.
class NameWatch {
  public:
    using Say = std::function<void(const std::string&)>;
    NameWatch(std::string path, Say say);

    // Opens the files that got the name since the last look, oldest first. The file that was found last is not given
    // again; the caller keeps it open, so that no other file gets its inode. Errors: input_missing (a file cannot be
    // opened); usage (the name is not a regular file).
    [[nodiscard]] Result<std::vector<NamedFile>> look();
    // Becomes readable when the next look may find something; -1: never.
    [[nodiscard]] int fd() const { return events_.get(); }

  private:
    // A file that got the name and was not opened yet.
    struct Coming {
        std::string name;          // its present name in the folder; empty while it is being renamed
        std::uint32_t cookie = 0;  // of that renaming
    };
    void watch_folder();
    [[nodiscard]] bool take_events();
    [[nodiscard]] bool take_event(std::uint32_t mask, std::uint32_t cookie, const std::string& name);
    void lose(std::vector<Coming>::iterator file);
    [[nodiscard]] Result<std::vector<NamedFile>> open_all(std::vector<Coming>& refused);
    void report_lost(std::size_t kept);
    [[nodiscard]] Result<std::optional<NamedFile>> open(const std::string& path, bool must_be_file);

    std::string path_;
    std::string folder_;
    std::string name_;
    Say say_;
    Fd events_;
    int watch_ = -1;
    std::vector<Coming> coming_;
    std::size_t lost_ = 0;  // files that left coming_ during this look, without a name that azlock could open
    std::optional<FileIdentity> last_;
    bool refused_told_ = false;
};

}  // namespace azlock::ops
