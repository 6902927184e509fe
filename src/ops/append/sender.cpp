#include "ops/append/sender.hpp"

#include "azure/refusals.hpp"
#include "base/quantity.hpp"
#include "ops/append/compare.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/write/body_checksum.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A batch is given up after so many attempts whose checksum the service found wrong: the bytes were damaged on the way.
constexpr int kMaxDamaged = 3;
// A batch is given up after more than so many answers that contradict what azlock saw just before.
constexpr int kMaxOdd = 5;
// Bytes. A shorter body is sent well within the time between two lease renewals.
constexpr std::uint64_t kSlowBody = 256 * 1024;
constexpr milliseconds kBetweenLooks{250};

bool is_full(const Error& error) {
    return error.service_code == "MaxBlobSizeConditionNotMet" || error.service_code == "BlockCountExceedsLimit";
}

// Copies the bytes, because a request may outlive its caller.
std::shared_ptr<const http::Body> body_of(const AppendBatch& batch) {
    return http::make_body(std::string(reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size()));
}

}  // namespace

// One batch that is being sent.
struct AppendSender::Sending {
    const azure::BlobAddress& blob;
    AppendState& state;  // the state before the first attempt
    std::shared_ptr<const http::Body> body;
    azure::Checksum checksum;
    bool uncertain = false;  // an attempt was perhaps carried out, or may still be
    OutageRetry::Failing failing = {};
    int damaged = 0;
    int odd = 0;
    std::optional<BootTime> kept_out_since = {};

    [[nodiscard]] std::uint64_t size() const { return body->size(); }
    [[nodiscard]] std::uint64_t end() const { return state.length + body->size(); }
};

namespace {

template <typename Sending>
tl::unexpected<Error> unknown(const Sending& sending, Error error, const std::string& why) {
    const std::string from = std::to_string(sending.state.length);
    if (error.code != ErrorCode::cancelled) error.code = ErrorCode::unavailable;
    error.may_have_applied = true;
    error.target = sending.blob.to_string();
    error.message = "it is not known whether " + std::to_string(sending.size()) + " bytes are in the blob from byte " +
                    from + " on: " + why + " (" + error.message + ")";
    error.hint =
        "look at the blob from that byte on before you append again; with --equal-is-ours equal bytes count as ours";
    return fail(std::move(error));
}

}  // namespace

AppendSender::AppendSender(azure::BlobClient& client, OutageRetry& retry, AppendTurn& turn, SendOptions options)
    : client_(client),
      retry_(retry),
      turn_(turn),
      options_(std::move(options)),
      checksum_kind_(first_checksum_kind(client.endpoint())) {}

const std::string& AppendSender::lease_id() const {
    static const std::string none;
    if (options_.guard == AppendGuard::given) return options_.lease_id;
    return turn_.held() ? turn_.lease_id() : none;
}

Result<Sent> AppendSender::send(const azure::BlobAddress& blob, AppendState& state, BatchSource& source) {
    const std::vector<std::byte>& bytes = source.batch().bytes;
    Sending sending{blob, state, body_of(source.batch()), checksum_of(bytes, checksum_kind_)};
    const bool too_long = options_.max_size && sending.end() > *options_.max_size;
    if (too_long || state.blocks >= kMostAppendBlocks) return Sent::full;
    for (;;) {
        if (sending.checksum.kind != checksum_kind_) sending.checksum = checksum_of(bytes, checksum_kind_);
        if (auto ready = source.sending({blob.blob, state.length, lease_id()}); !ready) return fail(ready.error());
        const auto appended = attempt(sending);
        if (appended) {
            retry_.succeeded(sending.failing);
            state.etag = appended->etag;
            state.length = sending.end();
            state.blocks = appended->committed_blocks;
            first_ = false;
            return Sent::done;
        }
        const Error& error = appended.error();
        sending.uncertain = sending.uncertain || error.may_have_applied;
        if (sending.uncertain) {
            const auto fate = resolve(sending, error);
            if (!fate) return fail(fate.error());
            if (*fate == Fate::landed) {
                retry_.succeeded(sending.failing);
                ++duplicates_avoided_;
                first_ = false;
                return Sent::done;
            }
            if (*fate == Fate::gone) return Sent::missing;
            if (*fate == Fate::moved) return Sent::moved;
            if (*fate == Fate::never) return Sent::lease_lost;
        }
        auto next = after_refusal(sending, error);
        if (!next) return fail(next.error());
        if (*next) return **next;
    }
}

Result<azure::AppendResult> AppendSender::attempt(const Sending& sending) {
    azure::AppendOptions options;
    options.append_position = sending.state.length;
    options.max_size = options_.max_size;
    options.checksum = sending.checksum;
    options.conditions.lease_id = lease_id();
    if (options_.chain) {
        options.conditions.if_match = sending.state.etag;
    } else if (first_) {
        options.conditions.if_match = options_.if_match;
    }
    std::optional<std::jthread> renewing;
    if (turn_.held() && sending.size() > kSlowBody) renewing = turn_.renewing();
    return client_.append_block(sending.blob, sending.body, options, retry_.attempt(sending.size()));
}

// Decides what to do after a failed attempt. nullopt: send the batch again.
Result<std::optional<Sent>> AppendSender::after_refusal(Sending& sending, const Error& error) {
    const auto again = std::optional<Sent>();
    if (is_passing(error)) {
        if (auto go_on = retry_.pause(sending.failing, error); !go_on) {
            if (!sending.uncertain) return fail(go_on.error());
            return unknown(sending, go_on.error(), "there is no time left to find out");
        }
        return again;
    }
    if (error.http_status != 0) retry_.succeeded(sending.failing);  // the service answers
    if (checksum_kind_ == azure::Checksum::Kind::crc64 && refuses_crc64(error)) {
        checksum_kind_ = azure::Checksum::Kind::md5;
        return again;
    }
    if (is_checksum_mismatch(error) && ++sending.damaged < kMaxDamaged) return again;
    if (is_full(error)) return Sent::full;
    if (error.service_code == "BlobIsSealed") return Sent::sealed;
    if (azure::is_missing_blob(error)) return Sent::missing;
    const bool elsewhere =
        error.service_code == "AppendPositionConditionNotMet" || (options_.chain && azure::is_condition_not_met(error));
    if (elsewhere || azure::is_lease_refusal(error)) {
        if (++sending.odd > kMaxOdd) return fail(error);
        if (sending.uncertain && !options_.chain) return again;  // the blob was just looked at: it has not grown
        if (elsewhere) {
            auto moved = look_again(sending, error);
            if (!moved) return fail(moved.error());
            return *moved;
        }
        if (options_.guard == AppendGuard::turns || options_.guard == AppendGuard::exclusive) {
            turn_.lose();
            return Sent::lease_lost;
        }
        const bool kept_out = options_.guard == AppendGuard::none && error.service_code == "LeaseIdMissing";
        if (!kept_out) return fail(error);
        const BootTime now = client_.clock().now();
        if (!sending.kept_out_since) sending.kept_out_since = now;
        --sending.odd;
        if (options_.wait && now - *sending.kept_out_since >= *options_.wait) return fail(error);
        if (!retry_.wait(kBetweenLooks)) return fail(error);
        return again;
    }
    if (!is_checksum_mismatch(error)) return fail(error);
    Error damaged = error;
    damaged.code = ErrorCode::data;
    return fail(std::move(damaged));
}

Result<Sent> AppendSender::look_again(const Sending& sending, const Error& error) {
    auto seen = look(sending, lease_id());
    if (!seen) return fail(seen.error());
    if (seen->etag == sending.state.etag) return fail(error);
    sending.state = std::move(*seen);
    return Sent::moved;
}

Result<AppendState> AppendSender::look(const Sending& sending, const std::string& lease_id) {
    return retry_.ask(
        [&](const azure::Call& call) { return look_at_append_blob(client_, sending.blob, lease_id, call); });
}

Result<AppendSender::Fate> AppendSender::resolve(const Sending& sending, const Error& failure) {
    if (options_.guard == AppendGuard::none) return resolve_without_lease(sending, failure);
    if (options_.guard != AppendGuard::given) {
        const auto renewed = turn_.renew();
        if (!renewed && !is_definitive(renewed.error())) {
            return unknown(sending, renewed.error(), "the answer was lost, and so was every answer since");
        }
    }
    return resolve_by_lease(sending, lease_id(), failure);
}

// While we hold the lease, nobody else can have made the blob longer. A refused renewal may mean that somebody is
// breaking the lease: it is ours until the break period ends.
Result<AppendSender::Fate> AppendSender::resolve_by_lease(const Sending& sending, const std::string& lease_id,
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
    return Fate::landed;
}

// The lease of the attempt has ended, so the attempt cannot be carried out any more. But it may have been before.
Result<AppendSender::Fate> AppendSender::resolve_by_content(const Sending& sending, const Error& failure) {
    turn_.lose();
    auto seen = look(sending, {});
    if (!seen) {
        if (azure::is_missing_blob(seen.error())) return Fate::gone;
        return unknown(sending, seen.error(), "the answer was lost, and the blob could not be looked at");
    }
    if (seen->etag == sending.state.etag || seen->length < sending.end()) return Fate::never;
    auto fate = compare(sending, std::move(*seen));
    if (fate && *fate == Fate::moved) return Fate::never;
    if (!fate || options_.equal_is_ours) return fate;
    return unknown(sending, failure,
                   "its lease has ended, and the blob was written since. The same bytes are there, but that does "
                   "not prove whose they are");
}

Result<AppendSender::Fate> AppendSender::resolve_without_lease(const Sending& sending, const Error& failure) {
    auto seen = look(sending, {});
    if (!seen) {
        if (azure::is_missing_blob(seen.error())) return Fate::gone;
        return unknown(sending, seen.error(), "the answer was lost, and the blob could not be looked at");
    }
    if (seen->length == sending.state.length) return as_before(sending, std::move(*seen));
    if (seen->length < sending.state.length) return unknown(sending, failure, "somebody has replaced the blob");
    return compare(sending, std::move(*seen));
}

// For a blob whose length has not changed since the attempt.
AppendSender::Fate AppendSender::as_before(const Sending& sending, AppendState seen) const {
    if (!options_.chain || seen.etag == sending.state.etag) return Fate::not_yet;
    sending.state = std::move(seen);  // the old version never comes back, so the attempt must fail
    return Fate::moved;
}

// Landed if our bytes are at their position. Else moved: other bytes are there, so ours cannot be written there any
// more.
Result<AppendSender::Fate> AppendSender::compare(const Sending& sending, AppendState seen) {
    for (;;) {
        const auto equal = retry_.ask([&](const azure::Call& call) {
            return blob_holds(client_, sending.blob, sending.state.length, *sending.body,
                              options_.chain ? seen.etag : std::string(), call);
        });
        if (equal) {
            sending.state = std::move(seen);
            return *equal ? Fate::landed : Fate::moved;
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
    Result<Fate> fate;
    if (mark.lease_id.empty()) {
        fate = resolve_without_lease(sending, ended);
    } else {
        const auto renewed =
            retry_.ask([&](const azure::Call& call) { return renew_once(client_, there, mark.lease_id, call); });
        if (!renewed && !is_definitive(renewed.error())) return fail(renewed.error());
        fate = resolve_by_lease(sending, mark.lease_id, ended);
        const bool ours = turn_.held() && turn_.lease_id() == mark.lease_id;
        if (renewed && !ours && options_.guard != AppendGuard::given) {
            (void)client_.release_lease(there, mark.lease_id, {}, retry_.attempt());
        }
    }
    if (!fate) return fail(fate.error());
    if (*fate == Fate::landed) ++duplicates_avoided_;
    return *fate == Fate::landed;
}

}  // namespace azlock::ops
