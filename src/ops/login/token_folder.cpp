#include "ops/login/token_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/part_file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kFirstLine = "azlock token 1";
constexpr std::size_t kLongestFile = 1024 * 1024;

bool is_private(const struct stat& info) {
    return info.st_uid == ::geteuid() && (info.st_mode & 077) == 0;
}

Result<Fd> open_private_folder(int parent, const char* name, const std::string& shown) {
    Fd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const int failed = errno;
    struct stat info {};
    std::string why;
    if (!fd) {
        const bool link = ::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
        why = link ? "is a symbolic link" : "cannot be opened: " + errno_text(failed);
    } else if (::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) {
        why = "belongs to another user";
    } else if (!is_private(info)) {
        why = "is open to other users";
    }
    if (why.empty()) return fd;
    return fail(ErrorCode::config, "the token cache cannot be used: '" + printable(shown) + "' " + why,
                "XDG_RUNTIME_DIR must be a folder of this user with mode 0700");
}

std::int64_t milliseconds_of(WallTime time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::optional<WallTime> time_of(std::string_view text) {
    constexpr std::uint64_t kLast = 9'000'000'000'000;  // beyond it nanoseconds overflow
    const auto number = parse_u64(text);
    if (!number || *number > kLast) return std::nullopt;
    return WallTime(std::chrono::milliseconds(*number));
}

std::optional<KeptToken> parse(std::string_view text) {
    const auto lines = split(text, '\n');
    if (lines.size() != 6 || lines[0] != kFirstLine || !lines[5].empty()) return std::nullopt;
    const auto asked = time_of(lines[1]);
    const auto ends = time_of(lines[2]);
    const auto refresh = time_of(lines[3]);
    const auto visible = [](char c) { return c > ' ' && c < 0x7F; };
    if (!asked || !ends || (!refresh && !lines[3].empty())) return std::nullopt;
    if (lines[4].empty() || !std::all_of(lines[4].begin(), lines[4].end(), visible)) return std::nullopt;
    return KeptToken{Secret(std::string(lines[4])), *asked, *ends, refresh};
}

}  // namespace

Result<TokenFolder> TokenFolder::open(const std::string& runtime) {
    if (!runtime.starts_with('/')) {
        return fail(ErrorCode::config,
                    "the token cache cannot be used: XDG_RUNTIME_DIR is " +
                        std::string(runtime.empty() ? "not set" : "not an absolute path"),
                    "set it to a folder of this user with mode 0700, or run without the cache");
    }
    const auto parent = open_private_folder(AT_FDCWD, runtime.c_str(), runtime);
    if (!parent) return fail(parent.error());
    (void)::mkdirat(parent->get(), "azlock", 0700);  // if it fails, the open below says why
    auto folder = open_private_folder(parent->get(), "azlock", runtime + "/azlock");
    if (!folder) return fail(folder.error());
    return TokenFolder(std::move(*folder));
}

Result<std::optional<KeptToken>> TokenFolder::read(const std::string& name) const {
    const Fd fd(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd && errno == ENOENT) return std::optional<KeptToken>();
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || !is_private(info)) {
        return fail(ErrorCode::data, "the token in the cache is not a file that only this user can read");
    }
    std::string text(std::min(static_cast<std::size_t>(info.st_size), kLongestFile), '\0');
    const auto size = read_full(fd.get(), std::as_writable_bytes(std::span(text)), name);
    if (!size) return fail(size.error());
    text.resize(*size);
    auto token = parse(text);
    if (!token) return fail(ErrorCode::data, "the token in the cache cannot be read");
    return token;
}

Status TokenFolder::write(const std::string& name, const KeptToken& token) const {
    // By this path the folder stays the one that was checked, whatever happens to its name.
    const std::string folder = "/proc/self/fd/" + std::to_string(folder_.get()) + "/";
    sweep_part_files(folder);
    const auto part = make_part_file(folder, 0600, "the token");
    if (!part) return fail(part.error());
    const std::string text = std::string(kFirstLine) + "\n" + std::to_string(milliseconds_of(token.asked)) + "\n" +
                             std::to_string(milliseconds_of(token.ends)) + "\n" +
                             (token.refresh ? std::to_string(milliseconds_of(*token.refresh)) : "") + "\n" +
                             token.bearer.reveal() + "\n";
    auto written = write_full(part->fd.get(), as_bytes(text), "the token");
    if (written && ::rename(part->path.c_str(), (folder + name).c_str()) != 0) {
        written = fail(file_error(ErrorCode::io, "rename", "the token", errno));
    }
    if (!written) ::unlink(part->path.c_str());
    return written;
}

std::optional<Fd> TokenFolder::try_lock(const std::string& name) const {
    Fd fd(::openat(folder_.get(), (name + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
    return fd;
}

}  // namespace azlock::ops
