#include "os/signal_relay.hpp"

#include <array>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace azlock::os {
namespace {

constexpr std::array kRelayed{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP};
constexpr int kGraceMs = 3000;

bool asks_to_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

}  // namespace

SignalRelay::SignalRelay() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : kRelayed) {
        struct sigaction action {};
        sigaction(number, nullptr, &action);
        if (action.sa_handler != SIG_IGN) sigaddset(&watched, number);
    }
    pthread_sigmask(SIG_BLOCK, &watched, &previous_);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);
    signals_ = Fd(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    wake_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    thread_ = std::jthread([this] { work(); });
}

SignalRelay::~SignalRelay() {
    done_ = true;
    const std::uint64_t one = 1;
    (void)!write(wake_.get(), &one, sizeof one);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void SignalRelay::hand_over(std::function<void(int)> handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
}

void SignalRelay::stop_self() {
    kill(getpid(), SIGSTOP);
}

void SignalRelay::work() {
    while (!done_) {
        pollfd entries[2] = {{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
        bool waiting = received_ != 0;
        {
            const std::lock_guard lock(mutex_);
            waiting = waiting && !handler_;
        }
        const int ready = poll(entries, 2, waiting ? kGraceMs : -1);
        if (ready == 0) _exit(128 + received_);  // the stop was not heard
        signalfd_siginfo info;
        while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            handle(static_cast<int>(info.ssi_signo));
        }
    }
}

void SignalRelay::handle(int number) {
    const std::lock_guard lock(mutex_);
    if (handler_) return handler_(number);
    if (number == SIGTSTP) return stop_self();
    if (!asks_to_stop(number)) return;
    if (received_ != 0) _exit(128 + number);
    received_ = number;
    stop_.request_stop();
}

}  // namespace azlock::os
