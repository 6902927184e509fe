#include "ops/lock/acquire.hpp"

#include <algorithm>
#include <utility>

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "base/within_limits.hpp"
#include "ops/lock/next_fence.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The longest lease that azlock takes: a holder notices a break within this time at the latest.
constexpr seconds kLongestLease{60};
constexpr seconds kAcquireTime{10};
constexpr seconds kRenewTime{5};
constexpr seconds kGiveUpTime{2};
constexpr int kRaces = 4;
// The service's clocks do not differ by more.
constexpr seconds kLongestFenceWait{2};

bool may_be_taken(const std::string& state) {
    return state == "available" || state == "expired" || state == "broken";
}

// Calls `ask` again and again, with a pause of a second, as long as its failure is `passing` and `limit` is not over.
template <typename Ask>
Status until_answered(Clock& clock, BootTime limit, const azure::Call& call, const Ask& ask) {
    for (;;) {
        azure::Call bounded = call;
        bounded.deadline = std::min(limit, clock.after(kRenewTime));
        bool passing = false;
        Status answer = ask(bounded, passing);
        if (answer || !passing || clock.now() >= limit) return answer;
        if (!clock.wait_until(std::min(clock.after(seconds(1)), limit), call.stop)) return fail(stopped_by_signal());
    }
}

}  // namespace

Status Acquirer::create(const azure::BlobAddress& blob, const azure::Call& call) {
    azure::PutBlobOptions options;
    options.metadata["azl_slots"] = std::to_string(name_.slots);
    options.conditions.if_none_match = "*";
    auto made = client_.put_blob(blob, http::make_body(""), options, call);
    if (!made && azure::is_missing_container(made.error())) {
        if (auto container = client_.ensure_container(blob.container, call); !container) return container;
        made = client_.put_blob(blob, http::make_body(""), options, call);
    }
    if (made || azure::is_existing_blob(made.error())) return {};  // somebody else has created it
    return fail(made.error());
}

Result<Acquirer::Head> Acquirer::head_or_create(const azure::BlobAddress& blob, const azure::Call& call) {
    auto head = client_.get_properties(blob, {}, call);
    if (head || !azure::is_missing(head.error())) return head;
    if (auto made = create(blob, call); !made) return fail(made.error());
    return client_.get_properties(blob, {}, call);
}

Result<Acquirer::Outcome> Acquirer::try_once(const azure::Call& call) {
    // A token that ends before the lease would cost a lock that was just taken.
    const auto whole = timing_.ttl + timing_.margin;
    if (auto ok = client_.credential().last_for(whole, call.deadline, call.stop); !ok) return fail(ok.error());
    std::optional<Head> first;
    if (name_.slots > 1) {
        // Slot 0 holds the number of slots from its creation on.
        auto head = head_or_create(name_.first, call);
        if (!head) return fail(head.error());
        const OwnerRecord record = read_owner_record(head->properties.metadata);
        if (auto ok = check_slots(name_, record.slots.value_or(name_.slots)); !ok) return fail(ok.error());
        if (!record.slots) {
            return fail(ErrorCode::usage, "the lock " + printable(name_.first.blob) + " was made without --slots",
                        "use another lock name");
        }
        first = std::move(*head);
    }
    std::uint64_t offset = name_.slots > 1 ? client_.random().next() % name_.slots : 0;
    if (unanswered_) offset = unanswered_->slot;
    std::optional<LockBusy> busy;
    for (std::uint64_t i = 0; i < name_.slots; ++i) {
        const std::uint64_t slot = (offset + i) % name_.slots;
        auto outcome = try_slot(slot, slot == 0 ? first : std::nullopt, call);
        if (!outcome || std::holds_alternative<HeldLock>(*outcome)) return outcome;
        LockBusy& found = std::get<LockBusy>(*outcome);
        const bool soon = found.soon || (busy && busy->soon);
        if (!busy || found.soon) busy = std::move(found);
        busy->soon = soon;
    }
    return Outcome(std::move(*busy));
}

Result<Acquirer::Outcome> Acquirer::try_slot(std::uint64_t slot, const std::optional<Head>& known,
                                             const azure::Call& call) {
    const azure::BlobAddress blob = name_.slot(slot);
    std::optional<Head> head = known;
    LockBusy busy;
    busy.blob = blob;
    for (int race = 0; race < kRaces; ++race) {
        if (!head) {
            auto read = head_or_create(blob, call);
            if (!read) {
                if (azure::is_missing(read.error())) continue;  // deleted again meanwhile
                return fail(read.error());
            }
            head = std::move(*read);
        }
        busy.view = make_lease_view(head->properties, parse_http_date(head->date));
        const std::string& state = busy.view.lease.state;
        busy.soon = state != "leased";
        const std::uint64_t slots = busy.view.owner.slots.value_or(name_.slots);
        if (auto ok = check_slots(name_, slots); !ok) return fail(ok.error());
        const bool perhaps_ours = unanswered_ && unanswered_->slot == slot && state == "leased";
        if (!may_be_taken(state) && !perhaps_ours) return Outcome(std::move(busy));
        auto held = perhaps_ours ? renew_unanswered(call) : lease(slot, *head, call);
        if (!held) return fail(held.error());
        if (*held) return Outcome(std::move(**held));
        head.reset();  // it has changed since it was read
    }
    busy.soon = true;
    return Outcome(std::move(busy));
}

Result<std::optional<HeldLock>> Acquirer::lease(std::uint64_t slot, const Head& head, const azure::Call& call) {
    HeldLock out;
    out.blob = name_.slot(slot);
    out.slot = slot;
    out.metadata = head.properties.metadata;
    const WallTime date = parse_http_date(head.date).value_or(client_.clock().wall());
    const WallTime modified = parse_http_date(head.properties.last_modified).value_or(date);
    const auto fence = next_fence(out.metadata, modified, date);
    if (!fence) return fail(fence.error());
    out.fence = fence->token;
    // A slot's fence says nothing about the holders of other slots, so nobody gets it.
    if (name_.slots == 1) out.fence_from = client_.clock().after(std::min(fence->after, kLongestFenceWait));
    out.quarantine = quarantine_after(head);
    // If we crash in the quarantine, the lease must outlast the former holder's.
    out.length = out.quarantine.count() > 0 ? kLongestLease : seconds(timing_.ttl_seconds());

    const bool repeats = unanswered_ && unanswered_->slot == slot;
    out.lease_id = repeats ? unanswered_->lease_id : client_.random().uuid();
    azure::Conditions as_read;
    as_read.if_match = head.properties.etag;
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, client_.clock().after(kAcquireTime));
    bounded.server_timeout = static_cast<int>(kAcquireTime.count());
    out.acquired = now_on(client_.clock());
    auto leased = within_limits([&] {
        return single_.acquire_lease(out.blob, static_cast<int>(out.length.count()), out.lease_id, as_read, bounded);
    });
    if (repeats) out.quarantine = std::max(out.quarantine, unanswered_->quarantine);
    unanswered_.reset();
    if (leased && iequals(leased->lease_id, out.lease_id)) {
        out.date = parse_http_date(leased->date);
        return std::optional(with_trust(std::move(out), call));
    }
    if (leased) {
        unanswered_ = std::move(out);
        return fail(ErrorCode::unavailable, "the acquire was answered with another lease id");
    }
    const Error& error = leased.error();
    if (error.may_have_applied || error.code == ErrorCode::cancelled) unanswered_ = std::move(out);
    if (azure::is_condition_not_met(error) || azure::is_lease_refusal(error) || azure::is_missing(error)) {
        return std::optional<HeldLock>();
    }
    return fail(error);
}

// A success proves that our acquire was carried out, and that nobody has had the lease since. Another acquire under the
// same id would also succeed on a lease that was broken just now, and nobody would wait for its holder.
Result<std::optional<HeldLock>> Acquirer::renew_unanswered(const azure::Call& call) {
    const Now before = now_on(client_.clock());
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, client_.clock().after(kRenewTime));
    const auto renewed =
        within_limits([&] { return single_.renew_lease(unanswered_->blob, unanswered_->lease_id, {}, bounded); });
    const RenewAnswer answer = read_renew(renewed, unanswered_->lease_id);
    if (answer.kind == RenewAnswer::Kind::transient) {
        return renewed ? fail(ErrorCode::unavailable, answer.text) : fail(renewed.error());
    }
    HeldLock out = std::move(*std::exchange(unanswered_, std::nullopt));
    if (answer.kind == RenewAnswer::Kind::definitive) return std::optional<HeldLock>();
    out.acquired = before;
    out.date = answer.date;
    return std::optional(with_trust(std::move(out), call));
}

// How long the command of the former holder may still run. After a lease that expired: not at all, its guard has ended
// it before. Others may have acquired and released the lease after it was broken; then only the record tells.
milliseconds Acquirer::quarantine_after(const Head& head) const {
    const LeaseView view = make_lease_view(head.properties, parse_http_date(head.date));
    if (!quarantine_ || !view.next_holder_waits()) return milliseconds(0);
    return read_owner_record(view.metadata).ttl.value_or(kLongestLease);
}

HeldLock Acquirer::with_trust(HeldLock held, const azure::Call& call) {
    if (held.quarantine.count() > 0) (void)within_limits([&] { return trust_expiry(held, call); });
    return held;
}

// Our lease outlasts the former holder's. So if we give up and it expires, nobody has to wait once more. If the write
// fails, the next holder waits.
Status Acquirer::trust_expiry(HeldLock& held, const azure::Call& call) {
    OwnerRecord record = read_owner_record(held.metadata);
    if (!record.former) return {};
    record.former.reset();
    azure::Metadata metadata = with_owner_record(held.metadata, record);
    azure::Conditions with_lease;
    with_lease.lease_id = held.lease_id;
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, client_.clock().after(kRenewTime));
    const auto written = client_.set_metadata(held.blob, metadata, with_lease, bounded);
    if (!written) return fail(written.error());
    held.metadata = std::move(metadata);
    return {};
}

// A lease with a quarantine is not released: the next holder could start without one. It ends by itself.
void Acquirer::abandon() {
    if (!unanswered_ || unanswered_->quarantine.count() > 0) return;
    const HeldLock lease = *std::exchange(unanswered_, std::nullopt);
    // Nobody else uses this id: if the acquire was not carried out, the service refuses the release.
    azure::Call last;
    last.deadline = client_.clock().after(kGiveUpTime);
    (void)client_.release_lease(lease.blob, lease.lease_id, {}, last);
}

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
    const BootTime limit = std::min(call.deadline, held.acquired.boot + held.length - timing_.margin);
    return until_answered(clock, limit, call, [&](const azure::Call& bounded, bool& passing) -> Status {
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

Status Acquirer::sit_out_quarantine(HeldLock& held, const azure::Call& call) {
    Clock& clock = client_.clock();
    const BootTime over = clock.after(held.quarantine);
    while (clock.now() < over) {
        const BootTime next = std::min(over, clock.after(kLongestLease / 4));
        if (!clock.wait_until(next, call.stop)) return fail(stopped_by_signal());
        if (auto ok = renew(held, call); !ok) return ok;
    }
    held.quarantine = milliseconds(0);
    const seconds own(timing_.ttl_seconds());
    if (own == held.length) return {};
    // If the answer was lost, the lease may have the shorter time from then on. As long as that is not over, nobody
    // else can have it, and the acquire can be repeated.
    const BootTime limit = std::min(call.deadline, clock.after(timing_.ttl - timing_.margin));
    return until_answered(clock, limit, call, [&](const azure::Call& bounded, bool& passing) -> Status {
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

Status Acquirer::release(const HeldLock& held, const azure::Call& call) {
    return client_.release_lease(held.blob, held.lease_id, {}, call);
}

}  // namespace azlock::ops
