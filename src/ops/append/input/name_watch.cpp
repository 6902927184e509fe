#include "ops/append/input/name_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint32_t kFolderGone = IN_DELETE_SELF | IN_MOVE_SELF;
// If the name changes hands this often while it is looked at, what was found so far is taken.
constexpr int kMostTries = 100;

bool same_file(const std::optional<FileIdentity>& one, const FileIdentity& other) {
    return one && one->device == other.device && one->inode == other.inode;
}

}  // namespace

NameWatch::NameWatch(std::string path, Say say)
    : path_(std::move(path)),
      folder_(std::filesystem::path(path_).parent_path().string()),
      name_(std::filesystem::path(path_).filename().string()),
      say_(std::move(say)),
      events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (folder_.empty()) folder_ = ".";
    watch_folder();
}

void NameWatch::watch_folder() {
    if (!events_ || watch_ >= 0) return;
    constexpr std::uint32_t names = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
    watch_ = inotify_add_watch(events_.get(), folder_.c_str(), names | kFolderGone | IN_ONLYDIR);
}

void NameWatch::lose(std::vector<Coming>::iterator file) {
    coming_.erase(file);
    ++lost_;
}

// `kept`: how many of the lost files had been opened in time.
void NameWatch::report_lost(std::size_t kept) {
    const std::size_t lost = std::exchange(lost_, 0);
    if (lost <= kept) return;
    const bool one = lost - kept == 1;
    say_((one ? "a file" : std::to_string(lost - kept) + " files") + " had the name " + in_quotes(path_) + " and " +
         (one ? "was" : "were") + " deleted or moved away before azlock could open " + (one ? "it" : "them") +
         ": the content is not appended");
}

// True if the event is about a file that has the name, or had it and was not opened yet.
bool NameWatch::take_event(std::uint32_t mask, std::uint32_t cookie, const std::string& name) {
    const auto named =
        std::find_if(coming_.begin(), coming_.end(), [&](const Coming& file) { return file.name == name; });
    const bool known = named != coming_.end();
    if ((mask & IN_MOVED_FROM) != 0) {
        if (known) *named = {"", cookie};
        return known;
    }
    if ((mask & IN_DELETE) != 0) {
        if (known) lose(named);
        return known;
    }
    if (known) lose(named);  // another file has taken its name
    const auto moving = std::find_if(coming_.begin(), coming_.end(), [&](const Coming& file) {
        return cookie != 0 && file.cookie == cookie && file.name.empty();
    });
    if (moving != coming_.end()) {
        *moving = {name, 0};
        return true;
    }
    if (name != name_) return known;
    coming_.push_back({name, 0});
    return true;
}

// True if the name has changed hands.
bool NameWatch::take_events() {
    bool changed = false;
    alignas(inotify_event) char buffer[4096];
    for (ssize_t got = 0; (got = ::read(events_.get(), buffer, sizeof buffer)) > 0;) {
        for (ssize_t at = 0; at < got;) {
            inotify_event event{};
            std::memcpy(&event, buffer + at, sizeof event);
            const std::string name(event.len > 0 ? buffer + at + sizeof event : "");
            at += static_cast<ssize_t>(sizeof event + event.len);
            if ((event.mask & IN_Q_OVERFLOW) != 0) {
                say_("more happened in the folder of " + in_quotes(path_) +
                     " than the system reports: a file that was rotated and deleted may be missing");
            } else if (event.wd != watch_) {
                continue;  // of a folder that had the name before
            } else if ((event.mask & (kFolderGone | IN_IGNORED)) != 0) {
                if ((event.mask & IN_IGNORED) == 0) inotify_rm_watch(events_.get(), watch_);
                watch_ = -1;
                while (!coming_.empty()) lose(coming_.begin());
                changed = true;
            } else {
                changed = take_event(event.mask, event.cookie, name) || changed;
            }
        }
    }
    watch_folder();
    return changed;
}

// nullopt: there is no such file, or it cannot be opened yet; then errno tells why.
Result<std::optional<NamedFile>> NameWatch::open(const std::string& path, bool must_be_file) {
    // O_NONBLOCK: open() must not wait for the writer of a pipe.
    NamedFile file{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)), {}};
    if (!file.fd) {
        // The program that rotates may soon allow the reading of its new file.
        if (errno == ENOENT || errno == ENOTDIR || (errno == EACCES && last_)) return std::nullopt;
        return fail(file_error(ErrorCode::input_missing, "open", path, errno));
    }
    const auto identity = identify(file.fd.get(), path);
    if (!identity) return fail(identity.error());
    file.identity = *identity;
    if (identity->regular) return std::optional(std::move(file));
    errno = 0;
    if (!must_be_file) return std::nullopt;
    return fail(ErrorCode::usage, "--follow: " + in_quotes(path) + " is not a regular file",
                "read a pipe without --follow: azlock append DEST - < PIPE");
}

// Opens what came, then what has the name now. `refused`: what must be tried again.
Result<std::vector<NamedFile>> NameWatch::open_all(std::vector<Coming>& refused) {
    std::vector<NamedFile> out;
    const auto add = [&](NamedFile file) {
        if (same_file(out.empty() ? last_ : out.back().identity, file.identity)) return;
        out.push_back(std::move(file));
    };
    for (const Coming& file : coming_) {
        if (file.name.empty()) continue;
        const bool now = file.name == name_;
        auto opened = open(now ? path_ : folder_ + "/" + file.name, now);
        if (!opened) return fail(opened.error());
        if (*opened) {
            add(std::move(**opened));
        } else if (errno == EACCES) {
            refused.push_back(file);
        }
    }
    auto named = open(path_, true);
    if (!named) return fail(named.error());
    if (*named) {
        refused_told_ = false;
        add(std::move(**named));
    } else if (errno == EACCES && !std::exchange(refused_told_, true)) {
        say_("the new " + in_quotes(path_) + " cannot be opened: permission denied; azlock tries again");
    }
    return out;
}

Result<std::vector<NamedFile>> NameWatch::look() {
    std::vector<NamedFile> found;
    std::vector<Coming> refused;
    std::size_t kept = 0;
    (void)take_events();
    for (int tries = 0;; ++tries) {
        refused.clear();
        auto opened = open_all(refused);
        if (!opened) return fail(opened.error());
        // What an earlier try opened may have no name any more.
        const auto again = [&](const NamedFile& file) {
            return std::any_of(opened->begin(), opened->end(),
                               [&](const NamedFile& other) { return same_file(file.identity, other.identity); });
        };
        found.erase(std::remove_if(found.begin(), found.end(), again), found.end());
        kept = found.size();
        std::move(opened->begin(), opened->end(), std::back_inserter(found));
        if (!take_events() || tries == kMostTries) break;
    }
    // What is still being renamed went to another folder: within this one, both events come together.
    const auto away = [](const Coming& file) { return file.name.empty(); };
    for (auto it = coming_.begin(); (it = std::find_if(coming_.begin(), coming_.end(), away)) != coming_.end();)
        lose(it);
    report_lost(kept);
    coming_ = std::move(refused);
    if (!found.empty()) last_ = found.back().identity;
    return found;
}

}  // namespace azlock::ops
