#include "ops/files/file_walk.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "azure/names.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

struct DirectoryCloser {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Names {
    TextStore texts;
    std::vector<std::string_view> sorted;
    int error = 0;  // errno if some names could not be read, else 0
};

Names names_in(const Fd& place) {
    Names names;
    Fd copy(::fcntl(place.get(), F_DUPFD_CLOEXEC, 0));
    const std::unique_ptr<DIR, DirectoryCloser> directory(copy ? ::fdopendir(copy.get()) : nullptr);
    if (directory) (void)copy.release();
    while (directory) {
        errno = 0;
        const dirent* entry = ::readdir(directory.get());
        if (entry == nullptr) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.sorted.push_back(names.texts.keep(name));
    }
    names.error = errno;
    std::sort(names.sorted.begin(), names.sorted.end());
    return names;
}

// The path without the slash at its end, as people write it.
std::string without_slash(const std::string& path) {
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

std::string kind_of(mode_t mode) {
    if (S_ISLNK(mode)) return "a symbolic link";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

bool any_matches(const std::vector<Glob>& globs, std::string_view path, bool is_directory) {
    return std::any_of(globs.begin(), globs.end(), [&](const Glob& glob) { return glob.matches(path, is_directory); });
}

class Walk {
  public:
    Walk(const FileFilter& filter, SymlinkPolicy symlinks, const std::stop_token& stop, Selection& out)
        : filter_(filter), symlinks_(symlinks), stop_(stop), out_(out) {}

    Status take(const WalkedDirectory& root) {
        const Fd place = open_directory(AT_FDCWD, root.path, true);
        struct stat self {};
        if (!place || ::fstat(place.get(), &self) != 0) {
            failed_to_read(root.path, errno);
            return {};
        }
        above_.emplace_back(self.st_dev, self.st_ino);
        return walk(root, place, out_.files.add_root(root.path, root.blob, !follows()));
    }

  private:
    [[nodiscard]] bool follows() const { return symlinks_ == SymlinkPolicy::follow; }

    void failed(Error error, const std::string& path) {
        error.target = without_slash(path);
        out_.failures.push_back(std::move(error));
    }

    void failed_to_read(const std::string& path, int errno_value) {
        failed(file_error(ErrorCode::input_missing, "read", without_slash(path), errno_value), path);
    }

    Status walk(const WalkedDirectory& place, const Fd& open, FileList::Directory directory) {
        // Checks the directory's name here: this gives one failure, not one for each file below. It also bounds the
        // depth.
        if (!place.blob.empty() && place.blob != "/") {
            const std::string_view name = std::string_view(place.blob).substr(0, place.blob.size() - 1);
            if (Status valid = azure::check_blob_name(name); !valid) {
                failed(valid.error(), place.path);
                return {};
            }
        }
        const Names names = names_in(open);
        if (names.error != 0) failed_to_read(place.path, names.error);
        for (const std::string_view name : names.sorted) {
            if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "stopped while azlock looked for the files");
            if (Status taken = take_entry(place, open, directory, name); !taken) return taken;
        }
        return {};
    }

    Status take_entry(const WalkedDirectory& place, const Fd& open, FileList::Directory directory,
                      std::string_view name) {
        const std::string own(name);
        const std::string path = place.path + own;
        const std::string relative = place.relative + own;
        struct stat found {};
        const bool readable = ::fstatat(open.get(), own.c_str(), &found, follows() ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
        const int error = errno;
        const bool is_directory = readable && S_ISDIR(found.st_mode);
        const bool included = place.included || filter_.includes(relative, is_directory);
        if (filter_.excludes(relative, is_directory) || (!included && !is_directory)) {
            ++out_.excluded;
        } else if (!readable) {
            failed_to_read(path, error);
        } else if (is_directory) {
            return enter({path + "/", relative + "/", place.blob + own + "/", included}, open, directory, own, found);
        } else if (!S_ISREG(found.st_mode)) {
            take_other(path, found.st_mode);
        } else if (Status valid = azure::check_blob_name(place.blob + own); !valid) {
            failed(valid.error(), path);
        } else {
            out_.files.add_file(directory, name,
                                {static_cast<std::uint64_t>(found.st_size), found.st_dev, found.st_ino});
        }
        return {};
    }

    Status enter(const WalkedDirectory& place, const Fd& above, FileList::Directory parent, const std::string& name,
                 const struct stat& found) {
        const std::pair self(found.st_dev, found.st_ino);
        if (std::find(above_.begin(), above_.end(), self) != above_.end()) {
            out_.skipped.push_back({without_slash(place.path), "a symbolic link to a directory that contains it"});
            return {};
        }
        const Fd open = open_directory(above.get(), name, follows());
        struct stat opened {};
        if (!open || ::fstat(open.get(), &opened) != 0) {
            failed_to_read(place.path, errno);
            return {};
        }
        above_.emplace_back(opened.st_dev, opened.st_ino);
        Status walked = walk(place, open, out_.files.add_directory(parent, name));
        above_.pop_back();
        return walked;
    }

    void take_other(const std::string& path, mode_t mode) {
        if (S_ISLNK(mode) && symlinks_ == SymlinkPolicy::refuse) {
            failed(make_error(ErrorCode::usage, in_quotes(path) + " is a symbolic link"), path);
        } else {
            out_.skipped.push_back({path, kind_of(mode)});
        }
    }

    const FileFilter& filter_;
    SymlinkPolicy symlinks_;
    const std::stop_token& stop_;
    Selection& out_;
    std::vector<std::pair<dev_t, ino_t>> above_;  // the directories that the walk is in
};

}  // namespace

Result<FileFilter> FileFilter::make(const std::vector<std::string>& include, const std::vector<std::string>& exclude) {
    FileFilter filter;
    const auto parse = [](const std::vector<std::string>& patterns, std::vector<Glob>& globs) -> Status {
        for (const std::string& pattern : patterns) {
            auto glob = Glob::parse(pattern);
            if (!glob) return fail(glob.error());
            globs.push_back(std::move(*glob));
        }
        return {};
    };
    if (auto ok = parse(include, filter.include_); !ok) return fail(ok.error());
    if (auto ok = parse(exclude, filter.exclude_); !ok) return fail(ok.error());
    return filter;
}

bool FileFilter::includes(std::string_view path, bool is_directory) const {
    return include_.empty() || any_matches(include_, path, is_directory);
}

bool FileFilter::excludes(std::string_view path, bool is_directory) const {
    return any_matches(exclude_, path, is_directory);
}

Status walk_directory(const WalkedDirectory& root, const FileFilter& filter, SymlinkPolicy symlinks,
                      const std::stop_token& stop, Selection& out) {
    return Walk(filter, symlinks, stop, out).take(root);
}

}  // namespace azlock::ops
