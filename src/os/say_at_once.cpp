#include "os/say_at_once.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace azlock::os {

void say_at_once(const std::string& text) {
    struct stat status {};
    if (fstat(STDERR_FILENO, &status) != 0) return;
    const std::size_t size = text.size();
    if (S_ISSOCK(status.st_mode)) {
        (void)send(STDERR_FILENO, text.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
        // Opens it again: only our own open file description must become non-blocking.
        const int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (fd < 0) return;
        (void)!write(fd, text.data(), size);
        close(fd);
    } else {
        (void)!write(STDERR_FILENO, text.data(), size);
    }
}

}  // namespace azlock::os
