#include "cli/flags/retry_for.hpp"

#include "base/error_text.hpp"
#include "base/quantity.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {

void add_retry_for_flag(Parser& command, RetryFor& flag) {
    add_duration(command, "--retry-for", flag,
                 "How long an outage may last (default 5m; with --retries alone: that many attempts)")
        ->group("Transfer");
}

ops::OutageTold tell_of_outages(Context& context, const std::function<std::string()>& meanwhile) {
    return {
        [&context, meanwhile](const Error& why) {
            context.output().notice("the service cannot be reached; azlock " + meanwhile() + ": " + error_text(why));
        },
        [&context](std::chrono::nanoseconds lasted) {
            const auto rounded = std::chrono::duration_cast<std::chrono::milliseconds>(lasted);
            context.output().notice("the service answers again after " + format_duration(rounded));
        }};
}

std::unique_ptr<ops::OutageWatch> ride_out(Context& context, ops::Tuning tuning) {
    const auto meanwhile = [&context] { return "tries again " + ops::describe(context.retry_policy()); };
    auto watch =
        std::make_unique<ops::OutageWatch>(context.clock(), tuning.observer, tell_of_outages(context, meanwhile));
    tuning.rides_out = true;
    tuning.observer = watch.get();
    context.tune(tuning);
    return watch;
}

}  // namespace azlock::cli
