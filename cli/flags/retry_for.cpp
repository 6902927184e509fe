#include "cli/flags/retry_for.hpp"

#include "base/quantity.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr std::chrono::minutes kDefault{5};

}  // namespace

void add_retry_for_flag(Parser& command, RetryFor& flag) {
    add_duration(command, "--retry-for", flag,
                 "How long an outage may last (default 5m; with --retries alone: that many attempts)")
        ->group("Transfer");
}

ops::OutageTold tell_of_outages(Context& context, const std::string& meanwhile) {
    return {[&context, meanwhile](const Error& why) {
                context.output().notice("the service cannot be reached; " + meanwhile + ": " + error_text(why));
            },
            [&context](std::chrono::nanoseconds lasted) {
                const auto rounded = std::chrono::duration_cast<std::chrono::milliseconds>(lasted);
                context.output().notice("the service answers again after " + format_duration(rounded));
            }};
}

std::unique_ptr<ops::OutageWatch> ride_out(Context& context, const RetryFor& flag, Context::Tuning tuning) {
    const std::chrono::milliseconds span = flag.value_or(kDefault);
    tuning.retry_for = span;
    tuning.retry_for_given = flag.has_value();
    auto watch = std::make_unique<ops::OutageWatch>(
        context.clock(), tuning.observer, tell_of_outages(context, "azlock tries again for " + format_duration(span)));
    tuning.observer = watch.get();
    context.tune(tuning);
    return watch;
}

}  // namespace azlock::cli
