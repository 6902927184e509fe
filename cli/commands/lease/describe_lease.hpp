// A lease, its holder and its break as JSON; a lease as lines for people.
#pragma once

#include <string>
#include <vector>

#include "cli/output/output.hpp"
#include "ops/lease/break.hpp"

namespace azlock::cli {

// state, status, duration, etag, holder, former, quarantine_until, foreign, held_seconds, holder_is_dead
[[nodiscard]] Json to_json(const ops::LeaseView& view);
// What became of a break: target, outcome, was, period, free_in, marked_dead, why, and who had the lease; or its error.
[[nodiscard]] Json break_json(const std::string& target, const Result<ops::BreakReport>& report);

// "held by deploy@ci-7 pid 4121 for 12 min", or "last held by ..." of a free lease; empty if there is no record of
// that.
[[nodiscard]] std::string holder_sentence(const ops::LeaseView& view);

// "held by ann (held for longer than 1 d)"; `concern`: that of ops::concern_of().
[[nodiscard]] std::string with_concern(const std::string& sentence, const std::string& concern);

// `target`: the TARGET in the command that frees the lease.
[[nodiscard]] std::vector<std::string> describe(const ops::LeaseView& view, const std::string& target);

}  // namespace azlock::cli
