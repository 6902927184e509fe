#include "os/signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "os/launch.hpp"

namespace azlock::os {
namespace {

constexpr std::array<int, 4> kStopSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array<int, 4> kRelayed{SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP};

bool asks_to_stop(int number) {
    return std::find(kStopSignals.begin(), kStopSignals.end(), number) != kStopSignals.end();
}

}  // namespace

SignalStop::SignalStop(bool relaying) {
    std::vector<int> numbers(kStopSignals.begin(), kStopSignals.end());
    if (relaying) {
        numbers.insert(numbers.end(), kRelayed.begin(), kRelayed.end());
        std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, we could not wait for children
    }
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : numbers) {
        struct sigaction action {};
        sigaction(number, nullptr, &action);
        if (action.sa_handler != SIG_IGN) sigaddset(&watched, number);
    }
    signals_ = Fd(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_ || wake_.fd() < 0) throw std::system_error(EMFILE, std::generic_category());
    pthread_sigmask(SIG_BLOCK, &watched, &previous_);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread([this] { work(); });
}

SignalStop::~SignalStop() {
    over_.request_stop();
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void SignalStop::hand_over(std::function<void(int)> handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
}

void SignalStop::work() {
    while (!wake_.raised()) {
        pollfd entries[2] = {{signals_.get(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}};
        // A thread may not notice the stop: it may hang in a write to a pipe that nobody reads, or in a name lookup.
        const int limit = received_ != 0 ? static_cast<int>(grace_ * 1000) : -1;
        if (poll(entries, 2, limit) == 0) _exit(128 + received_);
        signalfd_siginfo info;
        while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            handle(static_cast<int>(info.ssi_signo));
        }
    }
}

void SignalStop::handle(int number) {
    const std::lock_guard lock(mutex_);
    if (asks_to_stop(number)) asked_ = number;
    if (handler_) return handler_(number);
    if (number == SIGTSTP) {
        kill(getpid(), SIGSTOP);
        return;
    }
    if (!asks_to_stop(number)) return;
    if (received_ != 0) _exit(128 + number);
    received_ = number;
    stop_.request_stop();
}

void outlive_limits() {
    (void)SignalState::at_start();
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGTRAP, SIG_IGN);
}

void die_of(int number) {
    std::signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(number);
    _exit(128 + number);
}

void die_with_group_of(int number) {
    kill(0, number);
    die_of(number);
}

bool reader_is_gone(int fd) {
    pollfd entry{fd, POLLOUT, 0};
    return poll(&entry, 1, 0) > 0 && (entry.revents & POLLERR) != 0;
}

}  // namespace azlock::os
