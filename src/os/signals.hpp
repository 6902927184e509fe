// Turns INT, TERM, HUP and QUIT into a stop request, or hands signals on to a command that is run; SIGPIPE becomes an
// ordinary write error.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/file.hpp"

namespace azlock::os {

// Signals for somebody who runs a command.
class SignalSource {
  public:
    virtual ~SignalSource() = default;
    // The number of the signal that came while there was no handler; 0 while none has.
    [[nodiscard]] virtual int received() const = 0;
    // From now on each signal is the handler's, which is called on a thread of the source's and must not call back.
    virtual void hand_over(std::function<void(int)> handler) = 0;
};

// Construct it in main() before any other thread exists: it blocks the signals, and threads inherit that. A thread of
// its own waits for them. The first requests a stop. One second later (set_grace), or at once when another signal
// comes, it ends the process with 128 + the number, if the stop was not heard: whatever the other threads are waiting
// for. A signal that our parent ignores (nohup, a background job) stays ignored.
class SignalStop final : public SignalSource {
  public:
    // `relaying`: for hand_over(); USR1, USR2, WINCH and TSTP are taken, too. Fork what shall not inherit the blocked
    // signals before.
    explicit SignalStop(bool relaying = false);
    ~SignalStop() override;
    SignalStop(const SignalStop&) = delete;
    SignalStop& operator=(const SignalStop&) = delete;

    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    // The number of the signal that came; 0 while none has.
    [[nodiscard]] int received() const override { return received_; }
    // The number of the last INT, TERM, HUP or QUIT that came, also where it was handed over; 0 while none has.
    [[nodiscard]] int asked() const { return asked_; }

    // How long the process may live on after the first signal; to be set before it comes.
    void set_grace(std::chrono::seconds span) { grace_ = span.count(); }

    // An empty handler: as before (TSTP then stops the process, USR1, USR2 and WINCH are dropped).
    void hand_over(std::function<void(int)> handler) override;

  private:
    void work();
    void handle(int number);

    Fd signals_;
    Fd wake_;
    sigset_t previous_{};
    std::stop_source stop_;
    std::atomic<int> received_{0};
    std::atomic<int> asked_{0};
    std::atomic<std::int64_t> grace_{1};  // seconds
    std::atomic<bool> done_{false};
    std::mutex mutex_;
    std::function<void(int)> handler_;
    std::jthread thread_;
};

// Ends the process as that signal does where nobody handles it.
[[noreturn]] void die_of(int number);

// Ends the process as an unhandled SIGPIPE would, which is what a shell expects of a filter whose reader has gone.
[[noreturn]] void die_of_sigpipe();

// True if `fd` is a pipe or socket whose reader has gone.
[[nodiscard]] bool reader_is_gone(int fd);

}  // namespace azlock::os
