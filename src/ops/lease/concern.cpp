#include "ops/lease/concern.hpp"

#include "base/quantity.hpp"

namespace azlock::ops {

std::string concern_of(const LeaseView& view, std::chrono::milliseconds expected) {
    if (view.lease.state == "expired" && view.has_record() && !record_is_over(view.metadata)) {
        return "its holder stopped renewing it without giving it back";
    }
    const auto held = view.held_for();
    return held && *held > expected ? "held for longer than " + format_duration(expected) : "";
}

}  // namespace azlock::ops
