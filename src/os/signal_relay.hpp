// Signals of a program that runs a command: a stop request while it waits, handed on while the command runs.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/file.hpp"

namespace azlock::os {

// Construct it before any other thread exists, and after the guard was forked: it blocks INT, TERM, HUP, QUIT, USR1,
// USR2, WINCH and TSTP (those that our parent does not ignore) and SIGPIPE becomes a write error. A thread of its own
// takes them.
//  * At first, INT, TERM, HUP and QUIT request a stop; a second one ends the process at once, and so does the first
//    where the stop was not heard within three seconds. TSTP stops the process, the others are dropped.
//  * After hand_over() each goes to the handler instead.
class SignalRelay {
  public:
    SignalRelay();
    ~SignalRelay();
    SignalRelay(const SignalRelay&) = delete;
    SignalRelay& operator=(const SignalRelay&) = delete;

    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    // The number of the signal that requested the stop; 0 while none has.
    [[nodiscard]] int received() const { return received_; }

    // `handler` is called on the relay's thread. An empty one: as at first.
    void hand_over(std::function<void(int)> handler);
    // Stops the calling process as SIGSTOP does; returns after SIGCONT.
    static void stop_self();

  private:
    void work();
    void handle(int number);

    Fd signals_;
    Fd wake_;
    sigset_t previous_{};
    std::stop_source stop_;
    std::atomic<int> received_{0};
    std::atomic<bool> done_{false};
    std::mutex mutex_;
    std::function<void(int)> handler_;
    std::jthread thread_;
};

}  // namespace azlock::os
