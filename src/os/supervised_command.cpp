#include "os/supervised_command.hpp"

#include <csignal>
#include <thread>

namespace azlock::os {
namespace {

// Handles the signals while it exists: the first one requests a stop, the second one a kill.
class SignalsTaken {
  public:
    explicit SignalsTaken(SignalSource& signals) : signals_(signals) {
        signals_.hand_over([this](int) { (told_.stop_requested() ? kill_ : told_).request_stop(); });
    }
    ~SignalsTaken() { signals_.hand_over({}); }
    SignalsTaken(const SignalsTaken&) = delete;
    SignalsTaken& operator=(const SignalsTaken&) = delete;

    [[nodiscard]] std::stop_token told() const { return told_.get_token(); }
    [[nodiscard]] std::stop_token kill() const { return kill_.get_token(); }
    void request_kill() { kill_.request_stop(); }

  private:
    SignalSource& signals_;
    std::stop_source told_;
    std::stop_source kill_;
};

}  // namespace

Result<std::optional<ChildEnd>> run_supervised(ChildOptions command, std::chrono::nanoseconds kill_after,
                                               SignalSource& signals, Clock& clock) {
    SignalsTaken taken(signals);
    if (signals.asked() != 0) return std::nullopt;
    command.capture_output = false;
    command.own_group = true;
    auto child = Child::start(command);
    if (!child) return fail(child.error());
    if (auto end = child->wait(taken.told())) return end;
    child->signal(signals.asked());
    const std::jthread timer([&](const std::stop_token& ended) {
        if (clock.wait_until(clock.after(kill_after), ended)) taken.request_kill();
    });
    if (auto end = child->wait(taken.kill())) return end;
    child->signal(SIGKILL);
    return child->wait({});
}

std::string describe_end(const ChildEnd& end) {
    return end.signal != 0 ? "the command was killed by signal " + std::to_string(end.signal)
                           : "the command failed with exit code " + std::to_string(end.code);
}

}  // namespace azlock::os
