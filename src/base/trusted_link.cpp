#include "base/trusted_link.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace azlock {

bool link_is_trusted(const std::string& path) {
    struct stat info {};
    if (path.size() > 1 && path.ends_with('/')) return link_is_trusted(path.substr(0, path.size() - 1));
    if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return true;
    return info.st_uid == ::geteuid() || info.st_uid == 0;
}

Fd open_trusted(const std::string& path, int flags, unsigned mode) {
    Fd fd(::open(path.c_str(), flags | O_NOFOLLOW, mode));
    if (fd || errno != ELOOP) return fd;
    if (link_is_trusted(path)) {
        fd.reset(::open(path.c_str(), flags, mode));
    } else {
        errno = ELOOP;
    }
    return fd;
}

}  // namespace azlock
