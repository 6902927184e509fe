#include "os/signals.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

namespace azlock::os {
namespace {

constexpr std::array<int, 4> kStopSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// Wakes the waiting thread when the object goes away; nobody sends it from outside by accident.
constexpr int kWake = SIGUSR2;

}  // namespace

SignalStop::SignalStop() {
    sigemptyset(&watched_);
    for (const int number : kStopSignals) {
        // A signal that our parent ignores (nohup, a background job) stays ignored.
        struct sigaction action {};
        sigaction(number, nullptr, &action);
        if (action.sa_handler != SIG_IGN) sigaddset(&watched_, number);
    }
    sigset_t blocked = watched_;
    sigaddset(&blocked, kWake);
    pthread_sigmask(SIG_BLOCK, &blocked, &previous_);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread([this](const std::stop_token& done) { wait_for_signals(done); });
}

SignalStop::~SignalStop() {
    thread_.request_stop();
    pthread_kill(thread_.native_handle(), kWake);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void SignalStop::wait_for_signals(const std::stop_token& done) {
    sigset_t waited = watched_;
    sigaddset(&waited, kWake);
    while (!done.stop_requested()) {
        int number = 0;
        if (sigwait(&waited, &number) != 0 || number == kWake) continue;
        received_ = number;
        stop_.request_stop();
        break;
    }
    // The stop may reach a thread that hears nothing: in a write to a pipe that nobody reads, in a name lookup.
    const timespec grace{grace_.load(), 0};
    while (!done.stop_requested()) {
        const int number = sigtimedwait(&waited, nullptr, &grace);
        if (number == kWake || (number < 0 && errno == EINTR)) continue;
        _exit(128 + (number > 0 ? number : received_.load()));
    }
}

void die_of_sigpipe() {
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE);
}

bool reader_is_gone(int fd) {
    pollfd entry{fd, POLLOUT, 0};
    return poll(&entry, 1, 0) > 0 && (entry.revents & POLLERR) != 0;
}

}  // namespace azlock::os
