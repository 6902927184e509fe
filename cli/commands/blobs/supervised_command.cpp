#include "cli/commands/blobs/supervised_command.hpp"

#include "cli/output/exit_code.hpp"

namespace azlock::cli {
namespace {

// Takes the signals for as long as it lives: the first one requests a stop, the second one a kill.
class SignalsTaken {
  public:
    explicit SignalsTaken(os::SignalStop& signals) : signals_(signals) {
        signals_.hand_over([this](int) { (told_.stop_requested() ? kill_ : told_).request_stop(); });
    }
    ~SignalsTaken() { signals_.hand_over({}); }
    SignalsTaken(const SignalsTaken&) = delete;
    SignalsTaken& operator=(const SignalsTaken&) = delete;

    [[nodiscard]] std::stop_token told() const { return told_.get_token(); }
    [[nodiscard]] std::stop_token kill() const { return kill_.get_token(); }
    void request_kill() { kill_.request_stop(); }

  private:
    os::SignalStop& signals_;
    std::stop_source told_;
    std::stop_source kill_;
};

}  // namespace

Result<std::optional<os::ChildEnd>> run_told(os::ChildOptions command, std::chrono::nanoseconds kill_after,
                                             Context& context) {
    SignalsTaken taken(context.signals());
    if (context.signals().asked() != 0) return std::nullopt;
    command.capture_output = false;
    command.own_group = true;
    auto child = os::Child::start(command);
    if (!child) {
        const bool missing = child.error().code == ErrorCode::input_missing;
        context.set_exit_code(missing ? kExitNotFound : kExitNotExecutable);
        return fail(child.error());
    }
    if (auto end = child->wait(taken.told())) return end;
    child->signal(context.signals().asked());
    const std::jthread timer([&](const std::stop_token& ended) {
        if (context.clock().wait_until(context.clock().after(kill_after), ended)) taken.request_kill();
    });
    if (auto end = child->wait(taken.kill())) return end;
    child->signal(SIGKILL);
    return child->wait({});
}

std::string how_it_ended(const os::ChildEnd& end) {
    return end.signal != 0 ? "the command was killed by signal " + std::to_string(end.signal)
                           : "the command failed with exit code " + std::to_string(end.code);
}

}  // namespace azlock::cli
