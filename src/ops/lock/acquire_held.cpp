// What the holder of a lock does with it, from its record to the release.
#include <algorithm>

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/within_limits.hpp"
#include "ops/lock/acquire.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// How often a holder in a quarantine looks whether another slot is free, and how long one look takes.
constexpr seconds kOtherSlotPause{2};
constexpr milliseconds kOtherSlotTime{250};

// Calls `ask` again and again, with a pause of a second, as long as its failure is `passing` and neither `lease_limit`
// nor the call's deadline is over. After `lease_limit` the error says that the lease is lost.
template <typename Ask>
Status until_answered(Clock& clock, BootTime lease_limit, seconds at_most, const azure::Call& call, const Ask& ask) {
    const BootTime limit = std::min(call.deadline, lease_limit);
    for (;;) {
        azure::Call bounded = call;
        bounded.deadline = std::min(limit, clock.after(at_most));
        bool passing = false;
        Status answer = ask(bounded, passing);
        if (answer || !passing) return answer;
        if (clock.now() >= limit) {
            Error error = answer.error();
            error.lost = clock.now() >= lease_limit;
            return fail(std::move(error));
        }
        if (!clock.wait_until(std::min(clock.after(seconds(1)), limit), call.stop)) return fail(stopped_by_signal());
    }
}

}  // namespace

azure::Metadata Acquirer::recorded(const HeldLock& held, const OwnerRecord& record) const {
    OwnerRecord full = record;
    full.fence = held.fence;
    full.slots = name_.slots;
    full.ttl = std::chrono::duration_cast<milliseconds>(timing_.ttl);
    full.renew_every = std::chrono::duration_cast<milliseconds>(timing_.renew_every());
    full.kill_after = std::chrono::duration_cast<milliseconds>(timing_.kill_after);
    return with_owner_record(held.metadata, full);
}

Result<std::string> Acquirer::write_record(const HeldLock& held, const OwnerRecord& record, const azure::Call& call) {
    azure::Conditions under_lease;
    under_lease.lease_id = held.lease_id;
    auto written = client_.set_metadata(held.blob, recorded(held, record), under_lease, call);
    if (!written) return fail(written.error());
    return written->etag;
}

Status Acquirer::rewrite_record(const HeldLock& held, const OwnerRecord& record, const azure::Call& call) {
    const auto head = client_.get_properties(held.blob, {}, call);
    if (!head) return fail(head.error());
    HeldLock now = held;
    now.metadata = head->properties.metadata;
    azure::Conditions unchanged;
    unchanged.lease_id = held.lease_id;
    unchanged.if_match = head->properties.etag;
    const auto written = client_.set_metadata(held.blob, recorded(now, record), unchanged, call);
    return written ? Status() : fail(written.error());
}

Result<bool> Acquirer::say_ended(const HeldLock& held, const OwnerRecord& record, const azure::Call& call) {
    azure::Metadata ours = recorded(held, record);
    azure::Conditions conditions;
    conditions.lease_id = held.lease_id;
    conditions.if_match = held.record_etag;
    auto marked = client_.set_metadata(held.blob, with_ended_mark(ours), conditions, call);
    if (marked) return true;
    const bool broken = azure::is_lease_refusal(marked.error());
    if (!broken && !azure::is_condition_not_met(marked.error())) return fail(marked.error());
    // The command may have written the blob, or the lease was broken.
    const auto head = client_.get_properties(held.blob, {}, call);
    if (!head) return fail(head.error());
    const azure::Metadata& found = head->properties.metadata;
    if (!same_holder(found, ours)) {
        if (broken) return fail(marked.error());
        return true;  // our command has overwritten it: nothing is left to mark
    }
    if (broken) conditions.lease_id.clear();
    conditions.if_match = head->properties.etag;
    marked = client_.set_metadata(held.blob, with_ended_mark(found), conditions, call);
    if (!marked) return fail(marked.error());
    return !broken || head->properties.lease.state == "expired";
}

bool Acquirer::is_over(const HeldLock& held, const azure::Call& call) {
    const auto head = client_.get_properties(held.blob, {}, call);
    return head && (head->properties.lease.state == "broken" || head->properties.lease.state == "available");
}

Status Acquirer::renew(HeldLock& held, const azure::Call& call) {
    Clock& clock = client_.clock();
    const BootTime limit = held.acquired.boot + held.length - timing_.margin;
    return until_answered(clock, limit, kRenewTime, call, [&](const azure::Call& bounded, bool& passing) -> Status {
        const Now before = now_on(clock);
        const auto result = single_.renew_lease(held.blob, held.lease_id, {}, bounded);
        const RenewAnswer answer = read_renew(result, held.lease_id);
        passing = answer.kind == RenewAnswer::Kind::transient;
        if (answer.kind != RenewAnswer::Kind::held) {
            return result ? fail(ErrorCode::unavailable, answer.text) : fail(result.error());
        }
        held.acquired = before;
        held.date = answer.date;
        return {};
    });
}

Status Acquirer::say_quarantine(HeldLock& held, const OwnerRecord& owner, std::chrono::nanoseconds time,
                                const azure::Call& call) {
    azure::Metadata metadata = held.metadata;
    // Only its times are those of the former holder.
    if (const OwnerRecord record = read_owner_record(metadata); record.former) {
        OwnerRecord times;
        times.ttl = record.ttl;
        times.renew_every = record.renew_every;
        times.kill_after = record.kill_after;
        metadata = with_owner_record(metadata, times);
    }
    const WallTime begun = held.date.value_or(client_.clock().wall());
    Quarantine quarantine{owner, std::chrono::ceil<seconds>(begun + time)};
    quarantine.by.since = begun;
    azure::Conditions as_leased;  // a request that comes late must not replace our record
    as_leased.lease_id = held.lease_id;
    as_leased.if_match = held.record_etag;
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, client_.clock().after(kRenewTime));
    metadata = with_quarantine_mark(metadata, quarantine);
    const auto written = client_.set_metadata(held.blob, metadata, as_leased, bounded);
    if (!written) return fail(written.error());
    held.record_etag = written->etag;
    held.metadata = std::move(metadata);
    return {};
}

Status Acquirer::sit_out_quarantine(HeldLock& held, const azure::Call& call) {
    Clock& clock = client_.clock();
    const BootTime over = clock.after(held.quarantine);
    const bool too_long = over > call.deadline;
    const BootTime until = too_long ? call.deadline - kOtherSlotTime : over;
    const nanoseconds pause = name_.slots > 1 ? kOtherSlotPause : kLongestLease / 4;
    while (clock.now() < until) {
        if (!clock.wait_until(std::min(until, clock.after(pause)), call.stop)) return fail(stopped_by_signal());
        if (auto other = find_other_slot(call)) {
            held = std::move(*other);
            return {};
        }
        // The lease is proved at the end, if anything is to start under it.
        if (too_long || (clock.now() < until && clock.now() < held.acquired.boot + kLongestLease / 4)) continue;
        if (auto ok = renew(held, call); !ok) return ok;
    }
    if (too_long) return fail(ErrorCode::busy, "the quarantine lasts longer");
    held.quarantine = milliseconds(0);
    const seconds own(timing_.ttl_seconds());
    if (own == held.length) return {};
    // If the answer was lost, the lease may have the shorter time from then on. As long as that is not over, nobody
    // else can have it, and the acquire can be repeated.
    const BootTime limit = clock.after(timing_.ttl - timing_.margin);
    return until_answered(clock, limit, kRenewTime, call, [&](const azure::Call& bounded, bool& passing) -> Status {
        const Now before = now_on(clock);
        const auto again = single_.acquire_lease(held.blob, timing_.ttl_seconds(), held.lease_id, {}, bounded);
        if (!again) {
            passing = again.error().code == ErrorCode::unavailable && again.error().retryable;
            return fail(again.error());
        }
        held.acquired = before;
        held.length = own;
        held.date = parse_http_date(again->date);
        return {};
    });
}

std::optional<HeldLock> Acquirer::find_other_slot(const azure::Call& call) {
    if (name_.slots == 1) return std::nullopt;
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, client_.clock().after(kRenewTime));
    auto found = within_limits([&] { return try_slots(false, bounded); });
    if (auto* held = found ? std::get_if<HeldLock>(&*found) : nullptr) return std::move(*held);
    abandon();
    return std::nullopt;
}

Status Acquirer::release(const HeldLock& held, const azure::Call& call) {
    return client_.release_lease(held.blob, held.lease_id, {}, call);
}

}  // namespace azlock::ops
