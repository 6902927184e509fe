// Breaks leases as an operator orders it: one, or all under a prefix.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/lease/break.hpp"

namespace azlock::ops {

struct BreakOrder {
    BreakOptions each;
    std::optional<std::string> prefix;  // all leased blobs of the container whose names start with this
    bool wait = false;                  // until each broken lease has ended
    bool confirmed = false;             // do not ask
    // Asks the operator before anything is broken; only "y" or "yes" is a yes. Empty: nobody can be asked.
    std::function<Result<std::string>(const std::string& question)> ask;
    std::function<void(const std::string& text)> tell;  // lines for people, while it waits
    // What became of each lease. An error means that this one could not be broken, and others are still tried.
    std::function<Status(const azure::BlobAddress& target, const Result<BreakReport>& report)> done;
};

// Errors: usage, if the operator does not confirm it, `prefix` needs a confirmation and nobody can be asked, or
// something in the order does not go with the target or the rest; those of `ask` and `done`. Of one lease: those of
// break_lease(); precondition, if the conditions do not hold or nobody has a lease that must be there. Of a prefix: the
// first error, after all others were tried (cancelled and auth end it).
[[nodiscard]] Status break_leases(azure::BlobClient& client, const azure::BlobAddress& target, const BreakOrder& order,
                                  const azure::Call& call);

// "jobs/nightly: broken, free in 38 s; it was held by deploy@ci-7 pid 4121 for 12 min"; one line.
[[nodiscard]] std::string describe_break(const std::string& target, const BreakReport& report);

}  // namespace azlock::ops
