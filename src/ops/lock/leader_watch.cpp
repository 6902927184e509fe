#include "ops/lock/leader_watch.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

bool same_term(const OwnerRecord& a, const OwnerRecord& b) {
    return a.fence == b.fence && a.since == b.since && a.owner == b.owner && a.host == b.host && a.pid == b.pid;
}

}  // namespace

std::optional<Leader> LeaderWatch::look(const LeaseView& view) {
    if (!view.is_locked()) {
        former_ = view.owner;
        return told(std::nullopt);
    }
    if (former_ && same_term(*former_, view.owner)) return told(std::nullopt);
    former_.reset();
    return told(view.owner);
}

std::optional<Leader> LeaderWatch::nobody() {
    former_.reset();
    return told(std::nullopt);
}

std::optional<Leader> LeaderWatch::told(Leader leader) {
    const bool same = told_ && last_.has_value() == leader.has_value() && (!leader || same_term(*last_, *leader));
    told_ = true;
    last_ = leader;
    return same ? std::nullopt : std::optional<Leader>(std::move(leader));
}

Status watch_leader(azure::BlobClient& client, const azure::BlobAddress& lock, const LeaderVisitor& visitor,
                    const azure::Call& call) {
    Clock& clock = client.clock();
    LeaderWatch watch;
    bool blind = false;
    for (;;) {
        const auto view = look_at_lease(client, lock, call);
        const bool missing = !view && view.error().code == ErrorCode::not_found;
        std::optional<Leader> change;
        if (view) {
            change = watch.look(*view);
        } else if (missing) {
            change = watch.nobody();
        } else {
            const bool again =
                view.error().code == ErrorCode::unavailable && view.error().retryable && clock.now() < call.deadline;
            if (!again || call.stop.stop_requested()) return fail(view.error());
            if (!blind) visitor.blind(view.error());
        }
        blind = !view && !missing;
        if (change) {
            if (auto ok = visitor.changed(*change, view && view->now ? *view->now : clock.wall()); !ok) return ok;
        }
        const BootTime next = clock.after(kLookEvery);
        if (next >= call.deadline) return fail(ErrorCode::unavailable, "the deadline passed (--timeout)");
        if (!clock.wait_until(next, call.stop)) return fail(stopped_by_signal());
    }
}

}  // namespace azlock::ops
