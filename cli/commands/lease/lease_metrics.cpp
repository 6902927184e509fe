#include "cli/commands/lease/lease_metrics.hpp"

#include <algorithm>

namespace azlock::cli {
namespace {

std::string_view holder_of(const ops::LeaseView& view) {
    return view.foreign ? std::string_view(view.foreign->who) : std::string_view(view.owner.owner);
}

}  // namespace

Metrics lease_metrics(const std::string& account, const std::string& place,
                      const std::vector<ops::ListedLease>& leases) {
    Metrics out;
    out.gauge("azlock_leases", "Leases at a place by state.");
    for (const char* state : {"leased", "breaking", "broken", "expired"}) {
        const auto count = std::count_if(leases.begin(), leases.end(), [&](const ops::ListedLease& lease) {
            return lease.view.lease.state == state;
        });
        out.sample({{"account", account}, {"place", place}, {"state", state}}, static_cast<std::uint64_t>(count));
    }
    out.gauge("azlock_lease_held", "1 for each lease that somebody holds, with the holder that its record names.");
    for (const auto& [name, view] : leases) {
        if (!view.is_taken()) continue;
        out.sample(
            {{"account", account}, {"lease", name}, {"owner", std::string(holder_of(view))}, {"host", view.owner.host}},
            std::uint64_t{1});
    }
    out.gauge("azlock_lease_held_seconds", "How long the holder has had the lease, if its record says so.");
    for (const auto& [name, view] : leases) {
        if (const auto held = view.held_for()) out.sample({{"account", account}, {"lease", name}}, *held);
    }
    return out;
}

}  // namespace azlock::cli
