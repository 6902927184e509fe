#include "ops/lock/acquire.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "base/within_limits.hpp"
#include "ops/lock/next_fence.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kAcquireTime{10};
constexpr seconds kGiveUpTime{2};
constexpr int kRaces = 4;
// The service's clocks do not differ by more.
constexpr seconds kLongestFenceWait{2};

bool may_be_taken(const std::string& state) {
    return state == "available" || state == "expired" || state == "broken";
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

Result<Acquirer::Outcome> Acquirer::try_slots(bool with_quarantine, const azure::Call& call) {
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
    std::vector<std::uint64_t> passed_over;
    for (std::uint64_t i = 0; i < name_.slots; ++i) {
        const std::uint64_t slot = (offset + i) % name_.slots;
        const bool the_only_one = name_.slots == 1 && with_quarantine;
        auto outcome = try_slot(slot, slot == 0 ? first : std::nullopt, the_only_one, call);
        if (!outcome || std::holds_alternative<HeldLock>(*outcome)) return outcome;
        LockBusy& found = std::get<LockBusy>(*outcome);
        if (found.passed_over) passed_over.push_back(slot);
        const bool soon = found.soon || (busy && busy->soon);
        if (!busy || found.soon) busy = std::move(found);
        busy->soon = soon;
    }
    if (!with_quarantine) return Outcome(std::move(*busy));
    for (const std::uint64_t slot : passed_over) {
        auto outcome = try_slot(slot, std::nullopt, true, call);
        if (!outcome || std::holds_alternative<HeldLock>(*outcome)) return outcome;
    }
    return Outcome(std::move(*busy));
}

Result<Acquirer::Outcome> Acquirer::try_slot(std::uint64_t slot, const std::optional<Head>& known, bool with_quarantine,
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
        busy.passed_over = !perhaps_ours && !with_quarantine && quarantine_after(*head).count() > 0;
        if (busy.passed_over) return Outcome(std::move(busy));
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
    out.record_etag = head.properties.etag;
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
        return std::optional(std::move(out));
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
    return std::optional(std::move(out));
}

// How long the command of the former holder may still run. After a lease that expired: not at all, its guard has ended
// it before. Others may have acquired and released the lease after it was broken; then only the record tells.
milliseconds Acquirer::quarantine_after(const Head& head) const {
    const LeaseView view = make_lease_view(head.properties, parse_http_date(head.date));
    if (!quarantine_ || !view.next_holder_waits()) return milliseconds(0);
    return read_owner_record(view.metadata).ttl.value_or(kLongestLease);
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

}  // namespace azlock::ops
