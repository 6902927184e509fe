#include "ops/queue/claim.hpp"

#include <algorithm>

#include "azure/metadata.hpp"
#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;

constexpr seconds kAcquireTime{10};
constexpr seconds kReleaseTime{5};
constexpr std::size_t kRoomForFields = 700;  // of a task, in its metadata

bool somebody_was_first(const Error& error) {
    return azure::is_condition_not_met(error) || azure::is_missing_blob(error) || azure::is_lease_refusal(error);
}

Error lost(Error error) {
    if (!is_definitive(error) && !azure::is_condition_not_met(error)) return error;
    error.code = ErrorCode::busy;
    error.message = "the task's lease was lost: " + error.message;
    return error;
}

}  // namespace

azure::Call Claimer::within_lease(const Claim& claim, const azure::Call& call) const {
    return {std::min(call.deadline, timing_.term_at(claim.held.acquired.boot)), call.stop};
}

Result<std::optional<Claim>> Claimer::lease(const QueueTask& listed, const azure::Call& call) const {
    return lease(listed, queue_.single.random().uuid(), call);
}

Result<std::optional<Claim>> Claimer::lease(const QueueTask& listed, const std::string& lease_id,
                                            const azure::Call& call) const {
    Clock& clock = queue_.single.clock();
    Claim out;
    out.task = listed;
    out.held.blob = listed.blob;
    out.held.lease_id = lease_id;
    out.held.length = seconds(timing_.ttl_seconds());
    azure::Conditions as_listed;
    as_listed.if_match = listed.etag;
    azure::Call bounded = call;
    bounded.deadline = std::min(call.deadline, clock.after(kAcquireTime));
    bounded.server_timeout = static_cast<int>(kAcquireTime.count());
    out.held.acquired = now_on(clock);
    const auto leased =
        queue_.single.acquire_lease(listed.blob, timing_.ttl_seconds(), out.held.lease_id, as_listed, bounded);
    if (leased && iequals(leased->lease_id, out.held.lease_id)) {
        out.held.date = parse_http_date(leased->date);
        return std::optional(std::move(out));
    }
    if (leased || leased.error().may_have_applied) release(out);
    if (leased || somebody_was_first(leased.error())) return std::optional<Claim>();
    return fail(leased.error());
}

Status Claimer::read_content(Claim& claim, const azure::Call& call) const {
    auto file = ContentFile::create(claim.task.size);
    if (!file) return fail(file.error());
    ContentSink sink(**file);
    const auto got =
        queue_.many.get_blob(claim.task.blob, std::nullopt, claim.conditions(), sink, within_lease(claim, call));
    if (!got) return fail(lost(got.error()));
    if (sink.size() != claim.task.size) {
        return fail(ErrorCode::unavailable, "the content of task " + printable(claim.task.id) + " is incomplete");
    }
    claim.content = std::move(*file);
    return {};
}

Status Claimer::begin_attempt(Claim& claim, OwnerRecord owner, const azure::Call& call) const {
    QueueTask next = claim.task;
    ++next.attempts;
    next.claim = new_task_key(queue_.many.random());
    if (next.key.empty()) next.key = new_task_key(queue_.many.random());
    next.due.reset();
    owner.since = claim.held.date;
    owner.ttl = std::chrono::duration_cast<std::chrono::milliseconds>(timing_.ttl);
    owner.renew_every = std::chrono::duration_cast<std::chrono::milliseconds>(timing_.renew_every());
    owner.kill_after = std::chrono::duration_cast<std::chrono::milliseconds>(timing_.kill_after);
    azure::Metadata recorded = with_owner_record(claim.task.metadata, owner);
    if (metadata_size(recorded) + kRoomForFields > kMetadataLimit) {
        OwnerRecord times;
        times.pid = owner.pid;
        times.since = owner.since;
        times.ttl = owner.ttl;
        times.renew_every = owner.renew_every;
        times.kill_after = owner.kill_after;
        recorded = with_owner_record(claim.task.metadata, times);
    }
    next.metadata = with_task_fields(recorded, next);
    azure::Conditions ours = claim.conditions();
    ours.if_match = claim.task.etag;
    const azure::Call bounded = within_lease(claim, call);
    const auto written = queue_.many.set_metadata(claim.task.blob, next.metadata, ours, bounded);
    if (written) {
        next.etag = written->etag;
    } else if (!written.error().may_have_applied) {
        return fail(lost(written.error()));
    } else {
        // Nobody else knows our claim: if the blob has it, our write was carried out.
        const auto head = queue_.many.get_properties(claim.task.blob, {}, bounded);
        if (!head) return fail(lost(head.error()));
        if (azure::find_metadata(head->properties.metadata, kTaskClaimName) != next.claim) {
            return fail(lost(written.error()));
        }
        next.etag = head->properties.etag;
    }
    claim.task = std::move(next);
    return {};
}

Status Claimer::refresh(Claim& claim, const azure::Call& call) const {
    Clock& clock = queue_.single.clock();
    if (clock.now() < claim.held.acquired.boot + timing_.renew_every()) return {};
    const Now before = now_on(clock);
    const auto renewed = queue_.many.renew_lease(claim.held.blob, claim.held.lease_id, {}, within_lease(claim, call));
    const RenewAnswer answer = read_renew(renewed, claim.held.lease_id);
    if (answer.kind == RenewAnswer::Kind::held) {
        claim.held.acquired = before;
        claim.held.date = answer.date;
        return {};
    }
    if (!renewed) return fail(lost(renewed.error()));
    return fail(ErrorCode::unavailable, answer.text);
}

void Claimer::release(const Claim& claim) const {
    (void)queue_.many.release_lease(claim.held.blob, claim.held.lease_id, {},
                                    {queue_.many.clock().after(kReleaseTime), {}});
}

}  // namespace azlock::ops
