// Turns INT, TERM, HUP and QUIT into a stop request, or passes signals on to a running command. SIGPIPE and SIGXFSZ
// become ordinary write errors.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/wait.hpp"

namespace azlock::os {

// Signals for code that runs a command.
class SignalSource {
  public:
    virtual ~SignalSource() = default;
    // The number of the first INT, TERM, HUP or QUIT that came without a handler; 0: none.
    [[nodiscard]] virtual int received() const = 0;
    // The number of the last INT, TERM, HUP or QUIT, even if a handler got it; 0: none.
    [[nodiscard]] virtual int asked() const = 0;
    // From now on every signal goes to the handler. It is called on a thread of the source and must not call the
    // source.
    virtual void hand_over(std::function<void(int)> handler) = 0;
};

// Construct it in main() before any other thread exists: it blocks the signals, and new threads inherit that. Its own
// thread waits for them. The first signal requests a stop. If the process still runs one second later (set_grace), or
// if another signal comes, it is ended with 128 + the number, even if other threads hang. A signal that our parent
// ignores (nohup, a background job) stays ignored.
class SignalStop final : public SignalSource {
  public:
    // `relaying`: also takes USR1, USR2, WINCH and TSTP, for hand_over(). If a process must not inherit the blocked
    // signals, fork it before. Throws std::system_error if the system gives no descriptor or no thread.
    explicit SignalStop(bool relaying = false);
    ~SignalStop() override;
    SignalStop(const SignalStop&) = delete;
    SignalStop& operator=(const SignalStop&) = delete;

    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    [[nodiscard]] int received() const override { return received_; }
    [[nodiscard]] int asked() const override { return asked_; }

    // How long the process may still run after the first signal. Set it before a signal comes.
    void set_grace(std::chrono::seconds span) { grace_ = span.count(); }

    // An empty handler: as before the first call (TSTP then stops the process; USR1, USR2 and WINCH are dropped).
    void hand_over(std::function<void(int)> handler) override;

  private:
    void work();
    void handle(int number);

    std::stop_source over_;
    StopSignal wake_{over_.get_token()};
    Fd signals_;
    sigset_t previous_{};
    std::stop_source stop_;
    std::atomic<int> received_{0};
    std::atomic<int> asked_{0};
    std::atomic<std::int64_t> grace_{1};  // seconds
    std::mutex mutex_;
    std::function<void(int)> handler_;
    std::thread thread_;
};

// From now on a write beyond `ulimit -f` fails with EFBIG. SIGTRAP, which the HTTP library raises
// before it calls std::terminate(), is ignored. Commands that we run get what our parent gave us.
void outlive_limits();

// Ends the process as the signal does if nobody handles it. (A shell expects SIGPIPE from a filter whose reader has
// gone.)
[[noreturn]] void die_of(int number);
// The same for the whole process group.
[[noreturn]] void die_with_group_of(int number);

// True if `fd` is a pipe or socket whose reader has gone.
[[nodiscard]] bool reader_is_gone(int fd);

}  // namespace azlock::os
