// What became of an attempt whose answer was lost, or of one that an earlier run made.
#include "azure/refusals.hpp"
#include "ops/append/compare.hpp"
#include "ops/append/sender.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {

// Copies the bytes, because a request may outlive its caller.
std::shared_ptr<const http::Body> AppendSender::body_of(const AppendBatch& batch) {
    return http::make_body(std::string(reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size()));
}

tl::unexpected<Error> AppendSender::unknown(const Sending& sending, Error error, const std::string& why) {
    const bool placed = sending.state.length_known;
    const std::string from = placed ? " from byte " + std::to_string(sending.state.length) + " on" : "";
    if (error.code != ErrorCode::cancelled) error.code = ErrorCode::unavailable;
    error.may_have_applied = true;
    error.target = sending.blob.to_string();
    error.message = "it is not known whether " + std::to_string(sending.size()) + " bytes are in the blob" + from +
                    ": " + why + " (" + error.message + ")";
    error.hint = std::string("look at ") + (placed ? "the blob from that byte on" : "the end of the blob") +
                 " before you append again; with --equal-is-ours equal bytes count as ours";
    return fail(std::move(error));
}

Result<AppendState> AppendSender::look(const Sending& sending, const std::string& lease_id) {
    return retry_.ask(
        [&](const azure::Call& call) { return look_at_append_blob(client_, sending.blob, lease_id, call); });
}

AppendSender::Outcome AppendSender::resolve(const Sending& sending, const Error& failure) {
    if (!sending.state.length_known) return unknown(sending, failure, "the answer was lost");
    if (options_.lease == AppendLease::none) return resolve_without_lease(sending, failure);
    if (options_.lease != AppendLease::given) {
        const auto renewed = turn_.renew();
        if (!renewed && !is_definitive(renewed.error())) {
            return unknown(sending, renewed.error(), "the answer was lost, and so was every answer since");
        }
    }
    return resolve_by_lease(sending, lease_id(), failure);
}

// While we hold the lease, nobody else can have made the blob longer. A refused renewal may mean that somebody is
// breaking the lease: it is ours until the break period ends.
AppendSender::Outcome AppendSender::resolve_by_lease(const Sending& sending, const std::string& lease_id,
                                                     const Error& failure) {
    auto seen = look(sending, lease_id);
    if (!seen) {
        if (is_definitive(seen.error())) return resolve_by_content(sending, failure);
        return unknown(sending, seen.error(), "the answer was lost, and the blob could not be looked at");
    }
    if (seen->length == sending.state.length) return as_before(sending, std::move(*seen));
    if (seen->length != sending.end()) {
        return unknown(sending, failure,
                       "the blob has " + std::to_string(seen->length) +
                           " bytes, which nobody else can have written under our lease");
    }
    sending.state = std::move(*seen);
    return Sent::done;
}

// The lease of the attempt has ended, so the attempt cannot be carried out any more. But it may have been before.
AppendSender::Outcome AppendSender::resolve_by_content(const Sending& sending, const Error& failure) {
    turn_.lose();
    auto seen = look(sending, {});
    if (!seen) {
        if (azure::is_missing_blob(seen.error())) return Sent::missing;
        return unknown(sending, seen.error(), "the answer was lost, and the blob could not be looked at");
    }
    if (seen->etag == sending.state.etag || seen->length < sending.end()) return Sent::lease_lost;
    auto outcome = compare(sending, std::move(*seen));
    if (outcome && *outcome == Sent::moved) return Sent::lease_lost;
    if (!outcome || options_.equal_is_ours) return outcome;
    return unknown(sending, failure,
                   "its lease has ended, and the blob was written since. The same bytes are there, but that does "
                   "not prove whose they are");
}

AppendSender::Outcome AppendSender::resolve_without_lease(const Sending& sending, const Error& failure) {
    auto seen = look(sending, {});
    if (!seen) {
        if (azure::is_missing_blob(seen.error())) return Sent::missing;
        return unknown(sending, seen.error(), "the answer was lost, and the blob could not be looked at");
    }
    if (seen->length == sending.state.length) return as_before(sending, std::move(*seen));
    if (seen->length < sending.state.length) return unknown(sending, failure, "somebody has replaced the blob");
    return compare(sending, std::move(*seen));
}

// For a blob whose length has not changed since the attempt.
std::optional<Sent> AppendSender::as_before(const Sending& sending, AppendState seen) const {
    if (!options_.fence || seen.etag == sending.state.etag) return std::nullopt;
    sending.state = std::move(seen);  // the old version never comes back, so the attempt must fail
    return Sent::moved;
}

// `done` if our bytes are at their position. Otherwise `moved`: other bytes are there, and ours cannot be written there
// any more.
AppendSender::Outcome AppendSender::compare(const Sending& sending, AppendState seen) {
    for (;;) {
        const auto equal = retry_.ask([&](const azure::Call& call) {
            return blob_holds(client_, sending.blob, sending.state.length, *sending.body, sending.size(),
                              options_.fence ? seen.etag : std::string(), call);
        });
        if (equal) {
            sending.state = std::move(seen);
            return *equal ? Sent::done : Sent::moved;
        }
        if (!azure::is_condition_not_met(equal.error())) {
            return unknown(sending, equal.error(), "the answer was lost, and the blob could not be read");
        }
        auto newer = look(sending, {});
        if (!newer) return unknown(sending, newer.error(), "the answer was lost, and the blob could not be looked at");
        seen = std::move(*newer);
    }
}

Result<bool> AppendSender::was_sent(const AppendMark& mark, const azure::BlobAddress& blob, const AppendBatch& batch) {
    azure::BlobAddress there = blob;
    there.blob = mark.blob;
    AppendState state;
    state.length = mark.position;
    const Sending sending{there, state, body_of(batch), {}};
    const Error ended = make_error(ErrorCode::unavailable, "an earlier run of azlock ended before it knew the result");
    Outcome outcome;
    if (mark.lease_id.empty()) {
        outcome = resolve_without_lease(sending, ended);
    } else {
        const auto renewed =
            retry_.ask([&](const azure::Call& call) { return renew_once(client_, there, mark.lease_id, call); });
        if (!renewed && !is_definitive(renewed.error())) return fail(renewed.error());
        outcome = resolve_by_lease(sending, mark.lease_id, ended);
        const bool ours = turn_.held() && turn_.lease_id() == mark.lease_id;
        if (renewed && !ours && options_.lease != AppendLease::given) {
            (void)client_.release_lease(there, mark.lease_id, {}, retry_.attempt());
        }
    }
    if (!outcome) return fail(outcome.error());
    if (*outcome != Sent::done) return false;
    ++duplicates_avoided_;
    first_ = false;
    return true;
}

}  // namespace azlock::ops
