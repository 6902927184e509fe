#include "ops/read/live_view.hpp"

#include <optional>

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::milliseconds kLeastBetweenLooks{100};

}  // namespace

Status watch_view(Clock& clock, const LiveView& view, const azure::Call& call) {
    if (view.every < kLeastBetweenLooks) {
        return fail(ErrorCode::usage, "--watch takes at least " + format_duration(kLeastBetweenLooks));
    }
    std::optional<std::string> shown;
    bool blind = false;
    for (;;) {
        const auto sight = view.look();
        if (sight) {
            if (view.each_look || shown != sight->state) {
                if (auto ok = view.show(*sight); !ok) return ok;
            }
            shown = sight->state;
        } else {
            const Error& error = sight.error();
            const bool again = shown && error.code == ErrorCode::unavailable && clock.now() < call.deadline;
            if (!again || call.stop.stop_requested()) return fail(error);
            if (!blind) view.blind(error);
        }
        blind = !sight;
        const BootTime next = clock.after(view.every);
        if (next >= call.deadline) return fail(deadline_passed());
        if (!clock.wait_until(next, call.stop)) return fail(stopped_by_signal());
    }
}

}  // namespace azlock::ops
