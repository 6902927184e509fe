// A test sees the same surroundings however it was started: nohup and a script's `&` leave signals ignored, standard
// input may be closed, and a proxy may be set.
#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace {

const bool kReset = [] {
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2}) std::signal(number, SIG_DFL);
    for (const char* name :
         {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}) {
        ::unsetenv(name);
    }
    for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::dup(fd)) {
        if (fd > STDERR_FILENO) {
            ::close(fd);
            break;
        }
    }
    return true;
}();

}  // namespace
