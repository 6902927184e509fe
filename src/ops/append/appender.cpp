#include "ops/append/appender.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The turn is released after so long without data; after kIdleContended if others wait for it.
constexpr milliseconds kIdle{250};
constexpr milliseconds kIdleContended{20};
constexpr seconds kReleaseTime{3};
constexpr seconds kReleaseTimeAfterStop{1};
constexpr milliseconds kAfterLoss{100};

}  // namespace

Appender::Appender(azure::BlobClient& client, azure::BlobAddress blob, AppenderOptions options, const azure::Call& call)
    : client_(client),
      clock_(client.clock()),
      first_(std::move(blob)),
      options_(std::move(options)),
      retry_(client, options_.retry, call),
      turn_(client, retry_, options_.turn),
      sender_(client, retry_, turn_, options_.send),
      blob_(first_),
      expected_(options_.send.if_match) {}

bool Appender::leases() const {
    return options_.send.lease == AppendLease::turns || options_.send.lease == AppendLease::exclusive;
}

tl::unexpected<Error> Appender::refuse(Error error) const {
    if (error.target.empty()) error.target = blob_.to_string();
    return fail(std::move(error));
}

Status Appender::take_turn() {
    if (!leases()) return known_ ? Status() : look();
    while (!turn_.held()) {
        auto etag = turn_.take(blob_);
        if (!etag && azure::is_missing_blob(etag.error())) {
            if (auto made = make_first(); !made) return made;
            continue;
        }
        if (!etag && azure::lacks_permission(etag.error())) {
            Error error = etag.error();
            error.hint = "a lease needs the permission to write (w); --no-lease needs only the permission to add (a)";
            return fail(std::move(error));
        }
        if (!etag) return fail(etag.error());
        ++report_.turns;
        idle_since_ = clock_.now();
        if (!known_ || *etag != state_.etag) {
            auto seen = look();
            if (!seen && azure::is_missing_blob(seen.error())) {
                if (auto made = after(Sent::missing); !made) return made;
                continue;
            }
            if (!seen) return seen;
            if (unseen_) state_.etag = *etag;
        }
        if (!lost_etag_.empty() && lost_etag_ != state_.etag) {
            return refuse(
                make_error(ErrorCode::busy, "the exclusive lease was lost, and somebody else has written since"));
        }
        lost_etag_.clear();
        if (!state_.sealed) continue;
        if (auto next = after(Sent::sealed); !next) return next;
    }
    return {};
}

Deadline Appender::next_duty() const {
    if (!turn_.held()) return retry_.deadline();
    const BootTime duty = keeps_lease() ? turn_.renew_at() : idle_since_ + (turn_.contended() ? kIdleContended : kIdle);
    return std::min(duty, retry_.deadline());
}

Status Appender::run(BatchSource& source) {
    auto ran = run_to_end(source);
    if (ran && options_.seal) {
        ran = take_turn().and_then([&] { return raise_fence(); }).and_then([&] { return seal(); });
        report_.sealed = ran.has_value();
    } else if (ran && !sender_.has_written()) {
        ran = check_unwritten();
    }
    end_turn();
    return ran;
}

Status Appender::run_to_end(BatchSource& source) {
    for (;;) {
        const auto next = source.wait(next_duty());
        if (!next) return fail(next.error());
        if (*next == BatchSource::Next::end) return {};
        auto done = *next == BatchSource::Next::batch ? send(source) : idle();
        if (!done) return done;
    }
}

Status Appender::idle() {
    if (clock_.now() >= retry_.deadline()) return fail(deadline_passed());
    if (retry_.over()) return fail(ErrorCode::cancelled, "stopped before the input had ended");
    if (!turn_.held() || clock_.now() < next_duty()) return {};
    if (!keeps_lease()) {
        end_turn();
        return {};
    }
    const auto renewed = turn_.renew();
    if (renewed || !is_definitive(renewed.error())) return renewed;
    return after(Sent::lease_lost).and_then([&] { return take_turn(); });
}

// Sends one batch, with as many turns and parts as it needs.
Status Appender::send(BatchSource& source) {
    const std::uint64_t size = source.batch().bytes.size();
    if (const auto mark = source.pending_mark()) {
        const auto sent = sender_.was_sent(*mark, blob_, source.batch());
        if (!sent) return fail(sent.error());
        known_ = false;
        if (*sent) return source.confirmed();
    }
    if (options_.send.max_size && size > *options_.send.max_size) {
        return refuse(make_error(ErrorCode::precondition, "a batch of " + std::to_string(size) +
                                                              " bytes is more than --max-size allows a blob"));
    }
    for (;;) {
        if (turn_.held() && clock_.now() >= turn_.renew_at()) {
            const auto renewed = turn_.renew();
            if (!renewed && !is_definitive(renewed.error())) return renewed;
            if (!renewed) {
                if (auto lost = after(Sent::lease_lost); !lost) return lost;
            }
        }
        if (auto ready = take_turn().and_then([&] { return raise_fence(); }); !ready) return ready;
        const auto sent = sender_.send(blob_, state_, source);
        if (!sent) return refuse(sent.error());
        if (*sent == Sent::done) {
            const AppendBatch& batch = source.batch();
            if (!report_.first_offset) report_.first_offset = state_.length - size;
            report_.bytes += size;
            if (options_.send.progress != nullptr) options_.send.progress->sent += size;
            report_.lines += batch.lines;
            ++report_.blocks;
            source.blocks_in_blob(state_.blocks);
            if (auto confirmed = source.confirmed(); !confirmed) return confirmed;
            break;
        }
        if (auto go_on = after(*sent); !go_on) return go_on;
    }
    idle_since_ = clock_.now();
    if (!keeps_lease() && turn_.due_to_end()) end_turn();
    return {};
}

// Does what is needed before the batch can be sent again.
Status Appender::after(Sent sent) {
    switch (sent) {
        case Sent::done:
        case Sent::moved: return {};
        case Sent::full:
            if (!options_.rotate) return fail(refuse_full(blob_, state_, options_.send.max_size));
            return next_part(true);
        case Sent::sealed:
            if (!options_.rotate) return fail(refuse_sealed(blob_));
            return next_part(false);
        case Sent::missing:
            turn_.lose();
            known_ = false;
            if (unseen_ && report_.blocks == 0) return make_first();
            if (!leases() || keeps_lease()) {
                return refuse(make_error(ErrorCode::not_found, "the blob was deleted during the append"));
            }
            return make_first();
        case Sent::lease_lost: break;
    }
    turn_.lose();
    if (!leases()) {
        return refuse(make_error(ErrorCode::precondition, "the lease of --lease-id is not held any more",
                                 "acquire it again, then append what is missing"));
    }
    if (keeps_lease()) lost_etag_ = state_.etag;
    if (!retry_.wait(kAfterLoss)) return fail(ErrorCode::cancelled, "stopped after the lease of the turn was lost");
    return {};
}

void Appender::end_turn() {
    turn_.end({clock_.after(retry_.over() ? kReleaseTimeAfterStop : kReleaseTime), {}});
}

AppendReport Appender::report() const {
    AppendReport out = report_;
    out.blob = blob_;
    out.etag = state_.etag;
    out.retries = retry_.retries();
    out.duplicates_avoided = sender_.duplicates_avoided();
    return out;
}

}  // namespace azlock::ops
