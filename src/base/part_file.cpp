#include "base/part_file.hpp"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.hpp"
#include "base/shell_quote.hpp"

namespace azlock {
namespace {

constexpr int kNameTries = 100;
constexpr std::string_view kBegin = ".azlock-";
constexpr std::string_view kEnd = ".part";

bool is_part_name(std::string_view name) {
    constexpr std::size_t kIdLength = 36;
    return name.size() == kBegin.size() + kIdLength + kEnd.size() && name.starts_with(kBegin) && name.ends_with(kEnd);
}

// False if a sweep has taken the file for one without an owner, before it was locked.
bool lock_new(int fd) {
    struct stat info {};
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;  // there are no locks: nobody sweeps
    return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

void sweep_one(int folder, const char* name) {
    const Fd fd(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return;
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlinkat(folder, name, 0);
}

}  // namespace

Result<PartFile> make_part_file(const std::string& folder, unsigned mode, std::string_view path) {
    SystemRandom random;
    for (int i = 0; i < kNameTries; ++i) {
        std::string name = folder + std::string(kBegin) + random.uuid() + std::string(kEnd);
        Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
        if (fd && lock_new(fd.get())) return PartFile{std::move(fd), std::move(name)};
        if (fd) continue;
        if (errno != EEXIST && errno != EINTR) break;
    }
    const int why = errno;
    if (why == ENOENT && !folder.empty()) {
        Error error = file_error(ErrorCode::io, "create", path, why);
        error.hint = "make the folder first: mkdir -p " + shell_word(folder);
        return fail(std::move(error));
    }
    return fail(file_error(ErrorCode::io, "create a temporary file next to", path, why));
}

void sweep_part_files(const std::string& folder) noexcept {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.empty() ? "." : folder.c_str()), ::closedir);
    if (!entries) return;
    while (const dirent* entry = ::readdir(entries.get())) {
        if (is_part_name(entry->d_name)) sweep_one(::dirfd(entries.get()), entry->d_name);
    }
}

}  // namespace azlock
