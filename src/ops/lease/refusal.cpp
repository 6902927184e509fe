#include "ops/lease/refusal.hpp"

#include "azure/refusals.hpp"

namespace azlock::ops {
namespace {

struct Words {
    ErrorCode code;
    std::string message;
    std::string hint;
};

const char* past(LeaseAction action) {
    switch (action) {
        case LeaseAction::acquire: return "acquired";
        case LeaseAction::renew: return "renewed";
        case LeaseAction::change: return "changed";
        case LeaseAction::release: return "released";
    }
    return "used";
}

Words held(const LeaseView& seen) {
    if (seen.lease.state == "breaking") {
        return {ErrorCode::busy, "the lease of " + seen.holder() + " is being broken; it is free within 60 s",
                "try again then, or wait with --wait"};
    }
    const bool infinite = seen.lease.duration == "infinite";
    return {ErrorCode::busy, "it is leased by " + seen.holder() + (infinite ? " (infinite)" : ""),
            infinite ? "it stays leased until it is released; 'azlock lease break' frees it, --wait waits"
                     : "try again later, or wait with --wait"};
}

// Our id is not, or no longer, the id of the lease.
Words mismatch(const LeaseView& seen) {
    const std::string& state = seen.lease.state;
    if (seen.is_taken()) {
        return {ErrorCode::busy, "it is leased under another lease id, by " + seen.holder(),
                "use the holder's lease id; if you had a lease there, it is over"};
    }
    std::string what = "nobody holds a lease there: it was released, or it ended and then something was written";
    if (state == "broken") what = "the lease was broken, and it had another lease id";
    if (state == "expired") what = "the lease has expired, and it had another lease id";
    return {ErrorCode::precondition, what, "acquire a lease again"};
}

Words broken(LeaseAction action, const LeaseView& seen) {
    if (seen.lease.state == "breaking") {
        return {ErrorCode::precondition,
                std::string("the lease is being broken and cannot be ") + past(action) + " any more",
                "writes with its id work until it ends; finish and release it"};
    }
    return {ErrorCode::precondition, std::string("the lease was broken and cannot be ") + past(action),
            "acquire a lease again"};
}

Words not_present(LeaseAction action, const LeaseView& seen) {
    const std::string& state = seen.lease.state;
    if (state == "expired") {
        return {ErrorCode::precondition, std::string("the lease has expired and cannot be ") + past(action),
                "renew it first; that works if nobody has written or leased since"};
    }
    if (state == "broken") return broken(action, seen);
    return mismatch(seen);
}

std::optional<Words> words_for(LeaseAction action, const std::string& code, const LeaseView& seen) {
    if (code == "LeaseAlreadyPresent") {
        if (seen.is_taken()) return held(seen);
        return Words{ErrorCode::busy, "it was leased by someone else a moment ago", "try again"};
    }
    if (code == "LeaseIsBreakingAndCannotBeAcquired") {
        return Words{ErrorCode::busy,
                     "the lease with this id is being broken and cannot be acquired until it has ended",
                     "release it to end it now, or try again later"};
    }
    if (code == "LeaseIdMismatchWithLeaseOperation") return mismatch(seen);
    if (code == "LeaseIsBrokenAndCannotBeRenewed" || code == "LeaseIsBreakingAndCannotBeChanged") {
        return broken(action, seen);
    }
    if (code == "LeaseNotPresentWithLeaseOperation") return not_present(action, seen);
    return std::nullopt;
}

}  // namespace

bool is_definitive(const Error& error) {
    return azure::is_lease_refusal(error) || azure::is_missing(error);
}

Error explain_refusal(LeaseAction action, Error error, const std::optional<LeaseView>& seen) {
    if (!seen || !azure::is_lease_refusal(error)) return error;
    const auto words = words_for(action, error.service_code, *seen);
    if (!words) return error;
    error.code = words->code;
    error.message = words->message;
    error.hint = words->hint;
    error.retryable = error.code == ErrorCode::busy && action == LeaseAction::acquire;
    return error;
}

Error explain_refusal(LeaseAction action, Error error, azure::BlobClient& client, const azure::BlobAddress& target,
                      const azure::Call& call) {
    if (!azure::is_lease_refusal(error)) return error;
    const auto seen = look_at_lease(client, target, call);
    return explain_refusal(action, std::move(error), seen ? std::optional(*seen) : std::nullopt);
}

}  // namespace azlock::ops
