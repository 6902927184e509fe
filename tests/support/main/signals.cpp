// A test sees the same signals however it was started: nohup and a script's `&` leave some of them ignored.
#include <csignal>
#include <initializer_list>

namespace {

const bool kReset = [] {
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2}) std::signal(number, SIG_DFL);
    return true;
}();

}  // namespace
