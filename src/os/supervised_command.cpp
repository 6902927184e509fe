#include "os/supervised_command.hpp"

#include <csignal>
#include <thread>

namespace azlock::os {
Result<std::optional<ChildEnd>> run_supervised(ChildOptions command, std::chrono::nanoseconds kill_after,
                                               SignalSource& signals, Clock& clock) {
    std::stop_source told;
    std::stop_source kill;
    signals.hand_over([&](int) { (told.stop_requested() ? kill : told).request_stop(); });
    struct HandBack {
        SignalSource& signals;
        ~HandBack() { signals.hand_over({}); }
    } hand_back{signals};
    if (signals.asked() != 0) return std::nullopt;
    command.capture_output = false;
    command.own_group = true;
    auto child = Child::start(command);
    if (!child) return fail(child.error());
    if (auto end = child->wait(told.get_token())) return end;
    child->signal(signals.asked());
    const std::jthread timer([&](const std::stop_token& ended) {
        if (clock.wait_until(clock.after(kill_after), ended)) kill.request_stop();
    });
    if (auto end = child->wait(kill.get_token())) return end;
    child->signal(SIGKILL);
    return child->wait({});
}

}  // namespace azlock::os
