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
constexpr milliseconds kAfterLoss{100};

Error of_blob(Error error, const azure::BlobAddress& blob) {
    if (error.target.empty()) error.target = blob.to_string();
    return error;
}

// With a fence, nobody may write between our reading of the token and our append.
AppenderOptions with_chain(AppenderOptions options) {
    options.send.chain = options.fence.has_value();
    return options;
}

}  // namespace

Appender::Appender(azure::BlobClient& client, azure::BlobAddress blob, AppenderOptions options, const azure::Call& call)
    : client_(client),
      clock_(client.clock()),
      first_(std::move(blob)),
      options_(with_chain(std::move(options))),
      retry_(client, options_.retry, call),
      turn_(client, retry_, options_.turn),
      sender_(client, retry_, turn_, options_.send),
      blob_(first_) {}

bool Appender::leases() const {
    return options_.send.guard == AppendGuard::turns || options_.send.guard == AppendGuard::exclusive;
}

Status Appender::look() {
    auto seen = retry_.ask(
        [&](const azure::Call& call) { return look_at_append_blob(client_, blob_, sender_.lease_id(), call); });
    known_ = seen.has_value();
    if (!seen) return fail(seen.error());
    state_ = std::move(*seen);
    return {};
}

// Creates the missing blob that the user named, if the options allow it.
Status Appender::make_first() {
    if (options_.create && options_.send.if_match.empty()) return make();
    Error error = make_error(ErrorCode::not_found, "the blob does not exist",
                             options_.create ? "" : "leave out --no-create, and azlock creates it");
    return fail(of_blob(std::move(error), blob_));
}

Status Appender::make() {
    known_ = false;
    return retry_.ask(
        [&](const azure::Call& call) { return create_append_blob(client_, blob_, options_.content_type, call); });
}

// Finds the blob to append to, without a lease yet. After success the blob exists and is not sealed.
Status Appender::find() {
    auto seen = look();
    const bool missing = !seen && azure::is_missing_blob(seen.error());
    if (!seen && !missing) return seen;
    if (seen && !state_.sealed) return {};
    if (options_.rotate && part_ == 0) {
        const auto last = retry_.ask([&](const azure::Call& call) { return last_part(client_, first_, call); });
        if (!last) return fail(last.error());
        if (*last > 0) {
            part_ = *last;
            blob_ = part_of(first_, part_);
            return find();
        }
    }
    if (missing) return make_first();
    if (!options_.rotate) return fail(refuse_sealed(blob_));
    return next_part(false);
}

Status Appender::open() {
    if (auto found = find(); !found) return found;
    if (!known_) {
        if (auto seen = look(); !seen) return seen;
    }
    // With a fence, each append needs the ETag that was just read. So the ETag of --if-match must be that one.
    const std::string& wanted = options_.send.if_match;
    if (options_.fence && !wanted.empty() && wanted != "*" && wanted != state_.etag) {
        return fail(of_blob(make_error(ErrorCode::precondition, "the blob does not have the ETag of --if-match",
                                       "look at it again and decide again"),
                            blob_));
    }
    const auto& earlier = options_.earlier;
    if (keeps_lease() && earlier && earlier->blob == blob_.blob && !earlier->lease_id.empty()) {
        const auto adopted = turn_.adopt(blob_, earlier->lease_id);
        if (!adopted && !is_definitive(adopted.error())) return adopted;
        if (adopted) return look();
    }
    return keeps_lease() ? take_turn() : Status();
}

Status Appender::take_turn() {
    if (!leases()) return known_ ? Status() : look();
    while (!turn_.held()) {
        auto etag = turn_.take(blob_);
        if (!etag && azure::is_missing_blob(etag.error())) {
            if (auto made = make_first(); !made) return made;
            continue;
        }
        if (!etag) return fail(etag.error());
        ++report_.turns;
        idle_since_ = clock_.now();
        if (!known_ || *etag != state_.etag) {
            if (auto seen = look(); !seen) return seen;
        }
        if (!lost_etag_.empty() && lost_etag_ != state_.etag) {
            return fail(of_blob(make_error(ErrorCode::busy,
                                           "the exclusive lease was lost, and somebody else has "
                                           "written since"),
                                blob_));
        }
        lost_etag_.clear();
        if (!state_.sealed) continue;
        if (auto next = after(Sent::sealed); !next) return next;
    }
    return {};
}

// Writes our token before the first append to a version that does not have it. If the blob has a later token, nothing
// is written.
Status Appender::raise_fence() {
    if (!options_.fence) return {};
    while (!carries_fence(state_.metadata, *options_.fence)) {
        if (auto allowed = check_fence(state_.metadata, *options_.fence); !allowed) {
            return fail(of_blob(allowed.error(), blob_));
        }
        azure::Metadata metadata = state_.metadata;
        put_fence(metadata, *options_.fence);
        azure::Conditions conditions;
        conditions.if_match = state_.etag;
        conditions.lease_id = sender_.lease_id();
        const auto raised = retry_.ask(
            [&](const azure::Call& call) { return client_.set_metadata(blob_, metadata, conditions, call); });
        // Somebody else has written, or we have and the answer was lost.
        const bool changed = !raised && azure::is_condition_not_met(raised.error());
        if (!raised && !changed) return fail(raised.error());
        if (auto seen = look(); !seen) return seen;
    }
    return {};
}

// No append is under way when this is called: the result of every attempt is known.
Status Appender::next_part(bool seal_this) {
    if (seal_this) {
        if (auto sealed = seal(); !sealed) return sealed;
    }
    end_turn();
    do {
        ++part_;
        blob_ = part_of(first_, part_);
        state_ = {};
        known_ = false;
        if (auto made = make(); !made) return made;
        if (auto seen = look(); !seen) return seen;
    } while (state_.sealed);
    ++report_.rotations;
    if (options_.rotated) options_.rotated(blob_);
    return {};
}

Status Appender::seal() {
    azure::Conditions conditions;
    conditions.lease_id = sender_.lease_id();
    if (options_.fence) conditions.if_match = state_.etag;
    auto sealed =
        retry_.ask([&](const azure::Call& call) { return client_.seal(blob_, state_.length, conditions, call); });
    if (sealed) state_.sealed = true;
    return sealed;
}

Deadline Appender::next_duty() const {
    if (!turn_.held()) return retry_.deadline();
    const BootTime duty = keeps_lease() ? turn_.renew_at() : idle_since_ + (turn_.contended() ? kIdleContended : kIdle);
    return std::min(duty, retry_.deadline());
}

Status Appender::run(BatchSource& source) {
    auto ran = run_to_end(source);
    if (ran && options_.seal) {
        ran = take_turn().and_then([&] { return seal(); });
        report_.sealed = ran.has_value();
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
    if (clock_.now() >= retry_.deadline()) return fail(ErrorCode::unavailable, "the deadline passed");
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
        return fail(of_blob(make_error(ErrorCode::precondition, "a batch of " + std::to_string(size) +
                                                                    " bytes is more than --max-size allows a blob"),
                            blob_));
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
        if (!sent) return fail(of_blob(sent.error(), blob_));
        if (*sent == Sent::done) {
            const AppendBatch& batch = source.batch();
            if (!report_.first_offset) report_.first_offset = state_.length - size;
            report_.bytes += size;
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
            if (!leases() || keeps_lease()) {
                return fail(of_blob(make_error(ErrorCode::not_found, "the blob was deleted during the append"), blob_));
            }
            return make_first();
        case Sent::lease_lost: break;
    }
    turn_.lose();
    if (!leases()) {
        return fail(of_blob(make_error(ErrorCode::precondition, "the lease of --lease-id is not held any more",
                                       "acquire it again, then append what is missing"),
                            blob_));
    }
    if (keeps_lease()) lost_etag_ = state_.etag;
    if (!retry_.wait(kAfterLoss)) return fail(ErrorCode::cancelled, "stopped after its turn was lost");
    return {};
}

void Appender::end_turn() {
    turn_.end({clock_.after(kReleaseTime), {}});
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
