#include "ops/lock/leader_watch.hpp"

#include "ops/lease/view.hpp"
#include "ops/lock/lock_name.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

bool same_term(const Leader& a, const Leader& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->fence == b->fence && a->since == b->since && a->owner == b->owner && a->host == b->host &&
           a->pid == b->pid;
}

}  // namespace

Status watch_leader(azure::BlobClient& client, const std::string& name, const azure::BlobAddress& address,
                    const LeaderVisitor& visitor, const azure::Call& call) {
    const auto lock = make_lock_name(name, address, 1);
    if (!lock) return fail(lock.error());
    Clock& clock = client.clock();
    // The record of a former leader stays in the blob. A new holder of the lease leads only after it has written its
    // own record; before that it may wait in the quarantine. So a record that was seen on a free lock belongs to a
    // former leader.
    Leader former;
    std::optional<Leader> told;
    bool blind = false;
    for (;;) {
        const auto view = look_at_lease(client, lock->first, call);
        const bool missing = !view && view.error().code == ErrorCode::not_found;
        if (view || missing) {
            const bool free = missing || !view->is_taken();
            if (free) former = missing ? std::nullopt : Leader(view->owner);
            const bool no_leader = free || view->owner.empty() || view->former || same_term(former, view->owner);
            Leader leader = no_leader ? std::nullopt : Leader(view->owner);
            if (leader) former.reset();
            if (!told || !same_term(*told, leader)) {
                const WallTime seen = view && view->now ? *view->now : clock.wall();
                if (auto ok = visitor.changed(leader, seen); !ok) return ok;
            }
            told = std::move(leader);
        } else {
            const bool again =
                view.error().code == ErrorCode::unavailable && view.error().retryable && clock.now() < call.deadline;
            if (!again || call.stop.stop_requested()) return fail(view.error());
            if (!blind) visitor.blind(view.error());
        }
        blind = !view && !missing;
        const BootTime next = clock.after(kLookEvery);
        if (next >= call.deadline) return fail(deadline_passed());
        if (!clock.wait_until(next, call.stop)) return fail(stopped_by_signal());
    }
}

}  // namespace azlock::ops
