#include "base/locked_file.hpp"

#include <cerrno>

#include <sys/stat.h>

namespace azlock {

Result<Fd> open_locked(const std::string& path, const std::function<Result<Fd>()>& open,
                       const std::function<Status(int fd)>& lock) {
    for (;;) {
        auto fd = open();
        if (!fd) return fd;
        if (auto locked = lock(fd->get()); !locked) return fail(locked.error());
        struct stat held {};
        struct stat named {};
        if (::fstat(fd->get(), &held) != 0) return fail(file_error(ErrorCode::io, "look at", path, errno));
        const bool there = ::stat(path.c_str(), &named) == 0;
        if (there && held.st_ino == named.st_ino && held.st_dev == named.st_dev) return fd;
        if (!there && errno != ENOENT) return fail(file_error(ErrorCode::io, "look at", path, errno));
    }
}

}  // namespace azlock
