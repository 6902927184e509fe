// A lease and its holder as JSON and as lines for people.
#pragma once

#include <string>
#include <vector>

#include "cli/output/output.hpp"
#include "ops/lease/view.hpp"

namespace azlock::cli {

// state, status, duration, etag, holder, foreign, held_seconds, holder_is_dead
[[nodiscard]] Json to_json(const ops::LeaseView& view);

// "held by deploy@ci-7 pid 4121 for 12 min", or "last held by ..." of a free lease; empty if there is no record of
// that.
[[nodiscard]] std::string holder_sentence(const ops::LeaseView& view);

// `target`: the TARGET in the command that frees the lease.
[[nodiscard]] std::vector<std::string> describe(const ops::LeaseView& view, const std::string& target);

}  // namespace azlock::cli
