#include "cli/commands/lock/elect_observe.hpp"

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lease/view.hpp"

namespace azlock::cli {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

// The record of whoever leads; nullopt: nobody.
using Leader = std::optional<ops::OwnerRecord>;

bool same_term(const ops::OwnerRecord& a, const ops::OwnerRecord& b) {
    return a.fence == b.fence && a.since == b.since && a.owner == b.owner && a.host == b.host && a.pid == b.pid;
}

// The record of a former leader stays in the blob, and whoever has the lease leads only when its own record is there
// (before, it may be waiting in the quarantine): a record that was seen on a free lock is no leader's any more.
class Watch {
  public:
    // What is to be told; nullopt: nothing new.
    std::optional<Leader> look(const ops::LeaseView& view) {
        if (!view.is_locked()) {
            former_ = view.owner;
            return told(std::nullopt);
        }
        if (former_ && same_term(*former_, view.owner)) return told(std::nullopt);
        former_.reset();
        return told(view.owner);
    }

    std::optional<Leader> nobody() {
        former_.reset();
        return told(std::nullopt);
    }

  private:
    std::optional<Leader> told(Leader leader) {
        const bool same = told_ && last_.has_value() == leader.has_value() && (!leader || same_term(*last_, *leader));
        told_ = true;
        last_ = leader;
        return same ? std::nullopt : std::optional<Leader>(std::move(leader));
    }

    std::optional<ops::OwnerRecord> former_;
    Leader last_;
    bool told_ = false;
};

std::string text_of(const Leader& leader) {
    if (!leader) return "nobody";
    if (leader->empty()) return "somebody who left no record";
    std::string out = printable(leader->owner) + "@" + printable(leader->host);
    if (leader->pid) out += " pid " + std::to_string(*leader->pid);
    if (leader->since) out += " since " + format_iso8601(*leader->since);
    if (leader->fence) out += " fence " + std::to_string(*leader->fence);
    return out;
}

Json json_of(const Leader& leader, WallTime seen) {
    Json out;
    out["seen"] = format_iso8601(seen);
    out["leader"] = nullptr;
    if (!leader) return out;
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(printable(value)); };
    Json who;
    who["owner"] = text(leader->owner);
    who["host"] = text(leader->host);
    who["pid"] = leader->pid ? Json(*leader->pid) : Json(nullptr);
    who["run"] = text(leader->run);
    who["since"] = leader->since ? Json(format_iso8601(*leader->since)) : Json(nullptr);
    who["fence"] = leader->fence ? Json(*leader->fence) : Json(nullptr);
    out["leader"] = std::move(who);
    return out;
}

}  // namespace

Status observe_leader(const LockOptions& options, Context& context) {
    auto opened = context.open(lock_target(options));
    if (!opened) return fail(opened.error());
    const auto name = lock_name(options, opened->address);
    if (!name) return fail(name.error());
    Watch watch;
    bool blind = false;
    for (;;) {
        const auto view = ops::look_at_lease(opened->client(), name->base, context.call());
        std::optional<Leader> change;
        if (view) {
            change = watch.look(*view);
        } else if (view.error().code == ErrorCode::not_found) {
            change = watch.nobody();
        } else {
            const bool again = view.error().code == ErrorCode::unavailable && view.error().retryable &&
                               context.clock().now() < context.call().deadline;
            if (!again || context.call().stop.stop_requested()) return fail(view.error());
            if (!blind) context.output().notice("cannot see who leads: " + view.error().message);
        }
        blind = !view && view.error().code != ErrorCode::not_found;
        if (change) {
            const WallTime now = view && view->now ? *view->now : context.clock().wall();
            auto ok = context.output().json() ? context.output().object(json_of(*change, now))
                                              : context.output().line(text_of(*change));
            if (!ok) return ok;
        }
        const BootTime next = context.clock().after(kLookEvery);
        if (next >= context.call().deadline) return fail(ErrorCode::unavailable, "the deadline passed (--timeout)");
        if (!context.clock().wait_until(next, context.call().stop)) {
            return fail(ErrorCode::cancelled, "stopped by a signal");
        }
    }
}

}  // namespace azlock::cli
