#include "ops/append/sender.hpp"

#include "azure/refusals.hpp"
#include "ops/write/body_checksum.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// azlock gives up a batch if the service has found a wrong checksum in this many attempts: the network damaged the
// bytes.
constexpr int kMaxDamaged = 3;
// azlock gives up a batch after more than this many answers that contradict the last look at the blob.
constexpr int kMaxOdd = 5;
// Bytes. A shorter body is sent well within the time between two lease renewals.
constexpr std::uint64_t kSlowBody = 256 * 1024;
constexpr milliseconds kBetweenLooks{250};

bool is_full(const Error& error) {
    return error.service_code == "MaxBlobSizeConditionNotMet" || error.service_code == "BlockCountExceedsLimit";
}

}  // namespace

AppendSender::AppendSender(azure::BlobClient& client, OutageRetry& retry, AppendTurn& turn, SendOptions options)
    : client_(client),
      retry_(retry),
      turn_(turn),
      options_(std::move(options)),
      checksum_kind_(first_checksum_kind(client.endpoint())) {}

std::string AppendSender::lease_id() const {
    if (options_.lease == AppendLease::given) return options_.lease_id;
    return turn_.held() ? turn_.lease_id() : std::string();
}

std::string AppendSender::if_match(const AppendState& state) const {
    if (options_.fence) return state.etag;
    return first_ ? options_.if_match : std::string();
}

Result<Sent> AppendSender::send(const azure::BlobAddress& blob, AppendState& state, BatchSource& source) {
    const std::vector<std::byte>& bytes = source.batch().bytes;
    Sending sending{blob, state, body_of(source.batch()), checksum_of(bytes, checksum_kind_)};
    const bool too_long = options_.max_size && state.length_known && sending.end() > *options_.max_size;
    if (too_long || state.blocks >= kMostAppendBlocks) return Sent::full;
    for (;;) {
        if (sending.checksum.kind != checksum_kind_) sending.checksum = checksum_of(bytes, checksum_kind_);
        if (auto ready = source.sending({blob.blob, state.length, lease_id()}); !ready) return fail(ready.error());
        const auto appended = attempt(sending);
        if (appended) {
            retry_.succeeded(sending.failing);
            state.etag = appended->etag;
            state.length = state.length_known ? sending.end() : appended->offset + sending.size();
            state.length_known = true;
            state.blocks = appended->committed_blocks;
            first_ = false;
            return Sent::done;
        }
        const Error& error = appended.error();
        sending.uncertain = sending.uncertain || error.may_have_applied;
        if (sending.uncertain) {
            const auto outcome = resolve(sending, error);
            if (!outcome) return fail(outcome.error());
            if (*outcome == Sent::done) {
                retry_.succeeded(sending.failing);
                ++duplicates_avoided_;
                first_ = false;
            }
            if (*outcome) return **outcome;
        }
        auto next = after_refusal(sending, error);
        if (!next) return fail(next.error());
        if (*next) return **next;
    }
}

Result<azure::AppendResult> AppendSender::attempt(const Sending& sending) {
    azure::AppendOptions options;
    if (sending.state.length_known) options.append_position = sending.state.length;
    options.max_size = options_.max_size;
    options.checksum = sending.checksum;
    options.conditions.lease_id = lease_id();
    options.conditions.if_match = if_match(sending.state);
    std::optional<std::jthread> renewing;
    if (turn_.held() && sending.size() > kSlowBody) renewing = turn_.renewing();
    const auto body = std::make_shared<MeteredBody>(sending.body, Meter{options_.progress}, azure::Call());
    auto appended = client_.append_block(sending.blob, body, options, retry_.attempt(sending.size()));
    body->finish();
    return appended;
}

// Decides what to do after a failed attempt. nullopt: send the batch again.
AppendSender::Outcome AppendSender::after_refusal(Sending& sending, const Error& error) {
    constexpr std::optional<Sent> again;
    if (retry_.is_passing(error)) {
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
        error.service_code == "AppendPositionConditionNotMet" || (options_.fence && azure::is_condition_not_met(error));
    if (elsewhere || azure::is_lease_refusal(error)) {
        if (++sending.odd > kMaxOdd) return fail(error);
        if (sending.uncertain && !options_.fence) return again;  // the blob was just looked at: it has not grown
        if (elsewhere) {
            auto seen = look(sending, lease_id());
            if (!seen && azure::lacks_permission(seen.error())) {
                sending.state = {};
                sending.state.length_known = false;
                return Sent::moved;
            }
            if (!seen) return fail(seen.error());
            if (seen->etag == sending.state.etag) return fail(error);
            sending.state = std::move(*seen);
            return Sent::moved;
        }
        if (options_.lease == AppendLease::turns || options_.lease == AppendLease::exclusive) {
            turn_.lose();
            return Sent::lease_lost;
        }
        const bool kept_out = options_.lease == AppendLease::none && error.service_code == "LeaseIdMissing";
        if (!kept_out) return fail(error);
        const BootTime now = client_.clock().now();
        if (!sending.kept_out_since) sending.kept_out_since = now;
        --sending.odd;
        if (options_.wait && now - *sending.kept_out_since >= *options_.wait) return fail(error);
        if (!retry_.wait(kBetweenLooks)) return fail(error);
        return again;
    }
    Error refused = error;
    if (is_checksum_mismatch(error)) refused.code = ErrorCode::data;
    return fail(std::move(refused));
}

}  // namespace azlock::ops
