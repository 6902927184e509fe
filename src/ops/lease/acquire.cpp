#include "ops/lease/acquire.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "base/within_limits.hpp"
#include "http/message.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int kFirstDuration = 60;  // seconds; an infinite lease starts with this duration
constexpr int kRaces = 10;
constexpr seconds kBestEffort{5};
constexpr milliseconds kFirstPause{250};
constexpr milliseconds kShortestPause{500};
constexpr milliseconds kLongestPause{5'000};
constexpr milliseconds kLongestPauseAtTheEnd{1'000};  // if the lease may soon be free

class Acquisition {
  public:
    Acquisition(azure::BlobClient& client, const azure::BlobAddress& target, const AcquireOptions& options,
                const azure::Call& call)
        : client_(client), target_(target), options_(options), call_(call), clock_(client.clock()) {
        out_.lease_id = options.proposed_id.empty() ? client.random().uuid() : options.proposed_id;
    }

    Result<AcquiredLease> run() {
        auto done = within_limits(
            [&] { return take().and_then([&] { return write_record(); }).and_then([&] { return make_infinite(); }); });
        if (done) return std::move(out_);
        return fail(give_up(done.error()));
    }

  private:
    [[nodiscard]] bool infinite() const { return options_.duration == kInfiniteLease; }

    Status take() {
        const BootTime end = clock_.after(options_.wait);
        for (int makings = 0, races = 0;;) {
            const bool last = clock_.now() >= end;
            auto taken = keep_what_waits().and_then([&] { return attempt(first_duration(), as_seen()); });
            if (taken) return {};
            if (lock_ && has_changed(taken.error()) && ++races < kRaces) continue;
            if (taken.error().code == ErrorCode::not_found && options_.create && makings < 3) {
                ++makings;
                if (auto made = make(taken.error()); !made) return made;
                continue;
            }
            if (taken.error().code != ErrorCode::busy) return fail(taken.error());
            const auto seen = lock_ ? Result<LeaseView>(*lock_) : look_at_lease(client_, target_, call_);
            const auto view = seen ? std::optional(*seen) : std::nullopt;  // else we may lease but not read
            if (last) return fail(explain_refusal(LeaseAction::acquire, taken.error(), view));
            if (view) tell(*view);
            if (auto waited = pause(view, end); !waited) return waited;
        }
    }

    // A command runs under this id. Its azlock renews in time for the length of its own lease, which must not shrink.
    [[nodiscard]] int first_duration() const {
        if (infinite()) return kFirstDuration;
        const bool runs = lock_ && lock_->is_taken() && command_may_run(lock_->metadata);
        const auto ttl = runs ? read_owner_record(lock_->metadata).ttl : std::nullopt;
        return std::max(options_.duration,
                        static_cast<int>(std::chrono::ceil<seconds>(ttl.value_or(milliseconds(0))).count()));
    }

    // If the next holder of a lock would wait for a former command, it must do so also if we die: so that is written
    // before the lease is acquired, and then only that version is. While somebody has the lease, only he can write it.
    Status keep_what_waits() {
        lock_.reset();
        if (target_.is_container()) return {};
        const auto seen = look_at_lease(client_, target_, call_);
        if (!seen) return can_go_on(seen.error()) ? Status() : fail(seen.error());
        OwnerRecord kept = read_owner_record(seen->metadata);
        if (!kept.slots && !command_may_run(seen->metadata)) return {};
        lock_ = *seen;
        // An acquire that succeeds because the lease is broken at this moment would forget that.
        if (seen->is_taken() && options_.proposed_id.empty()) return fail(taken_by_another());
        if (!seen->has_command() || kept.former) return {};
        kept.former = 1;
        lock_->metadata = with_owner_record(seen->metadata, kept);
        azure::Conditions unchanged;
        unchanged.if_match = seen->etag;
        if (seen->is_taken()) unchanged.lease_id = options_.proposed_id;
        const auto written = client_.set_metadata(target_, lock_->metadata, unchanged, call_);
        if (!written) return fail(written.error().code == ErrorCode::busy ? taken_by_another() : written.error());
        lock_->etag = written->etag;
        return {};
    }

    // The version that was seen is not there any more, or its lease has ended.
    static bool has_changed(const Error& error) {
        return azure::is_condition_not_met(error) ||
               (azure::is_lease_refusal(error) && error.code == ErrorCode::precondition);
    }

    [[nodiscard]] Error taken_by_another() const {
        Error error = make_error(ErrorCode::busy, "it is leased");
        error.operation = "Lease Blob";
        error.target = target_.to_string();
        error.http_status = 409;
        error.service_code = "LeaseAlreadyPresent";
        return error;
    }

    // Who may lease but not read has always to acquire blindly; what is missing may be made.
    static bool can_go_on(const Error& error) {
        return error.code == ErrorCode::auth || error.code == ErrorCode::not_found;
    }

    [[nodiscard]] azure::Conditions as_seen() const {
        azure::Conditions out;
        if (lock_) out.if_match = lock_->etag;
        return out;
    }

    Status attempt(int duration, const azure::Conditions& conditions) {
        const auto taken = client_.acquire_lease(target_, duration, out_.lease_id, conditions, call_);
        if (!taken) return fail(taken.error());
        out_.lease_id = taken->lease_id;
        out_.duration = duration;
        out_.etag = taken->etag;
        held_ = true;
        return {};
    }

    // Creates the container if it is missing, else the blob. It is no error if somebody else created it meanwhile.
    Status make(const Error& missing) {
        if (target_.is_container() || azure::is_missing_container(missing)) {
            auto made = client_.create_container(target_.container, {}, {}, call_);
            if (!made && !azure::is_existing_container(made.error())) return made;
            out_.created = out_.created || (made && target_.is_container());
            return {};
        }
        azure::PutBlobOptions options;
        options.conditions.if_none_match = "*";
        const auto made = client_.put_blob(target_, http::make_body(std::string()), options, call_);
        if (made) out_.created = true;
        return made || azure::is_existing_blob(made.error()) ? Status() : fail(made.error());
    }

    void tell(const LeaseView& view) {
        const std::string holder = view.lease.state + "/" + view.owner.owner + "/" + view.owner.host + "/" +
                                   std::to_string(view.owner.fence.value_or(0)) + "/" +
                                   std::to_string(view.since().value_or(WallTime()).time_since_epoch().count());
        if (!options_.waiting || told_ == holder) return;
        told_ = holder;
        options_.waiting(view);
    }

    // Decorrelated jitter, so that many waiting callers do not ask at the same moment.
    Status pause(const std::optional<LeaseView>& view, BootTime end) {
        const bool soon = view && (view->lease.state != "leased");
        const auto cap = soon ? kLongestPauseAtTheEnd : kLongestPause;
        const BootTime until = std::min({clock_.after(pauses_.next(cap)), end, call_.deadline});
        if (clock_.wait_until(until, call_.stop)) return {};
        return fail(ErrorCode::cancelled, "stopped while waiting for the lease");
    }

    // Without a record the former holder's is removed: people, and a break with conditions, would take it for ours.
    Status write_record() {
        // The guard of a holder whose lease expired has ended its command. Once the lease is released, only the record
        // tells that.
        const bool over = lock_ && lock_->lease.state == "expired" && !lock_->has_command();
        // It may be our own, from the same lease.
        if (!options_.record && !options_.proposed_id.empty()) {
            return over && command_may_run(lock_->metadata) ? mark_ended() : Status();
        }
        const auto seen = lock_ ? Result<LeaseView>(*lock_) : look_at_lease(client_, target_, call_);
        const auto kept = [&](OwnerRecord record) {
            return over ? record : with_former_times(std::move(record), seen->metadata);
        };
        if (!options_.record) {
            if (!seen) return {};
            const auto metadata = with_owner_record(seen->metadata, kept({}));
            // The next holder of a lock would wait in vain, or would not wait for the command of the former one.
            if (command_may_run(seen->metadata)) return write(metadata, call_);
            if (seen->owner.empty() || record_is_over(seen->metadata)) return {};
            // The lease is valid without it.
            (void)write(metadata, {std::min(call_.deadline, clock_.after(kBestEffort)), call_.stop});
            return {};
        }
        if (!seen) return fail(seen.error());
        OwnerRecord record = *options_.record;
        record.since = seen->now;
        if (!infinite()) record.ttl = seconds(options_.duration);
        record = kept(std::move(record));
        if (infinite()) record.ttl.reset();  // it would be taken for the record of an earlier holder
        return write(with_owner_record(seen->metadata, record), call_);
    }

    // Only on the version that was seen: its holder may have the same id, and may go on after a pause.
    Status mark_ended() {
        const auto marked = write(with_ended_mark(lock_->metadata), call_, lock_->etag);
        return !marked && azure::is_condition_not_met(marked.error()) ? Status() : marked;
    }

    Status write(const azure::Metadata& metadata, const azure::Call& call, const std::string& etag = {}) {
        azure::Conditions with_lease;
        with_lease.lease_id = out_.lease_id;
        with_lease.if_match = etag;
        if (target_.is_container()) {
            return client_.set_container_metadata(target_.container, metadata, with_lease, call);
        }
        const auto written = client_.set_metadata(target_, metadata, with_lease, call);
        if (!written) return fail(written.error());
        out_.etag = written->etag;
        return {};
    }

    Status make_infinite() {
        if (!infinite()) return {};
        azure::Conditions unchanged;
        // The finite lease may have ended meanwhile, and another holder may have had a lease since.
        if (!target_.is_container()) unchanged.if_match = out_.etag;
        endless_ = true;
        auto taken = attempt(kInfiniteLease, unchanged);
        if (!taken) return fail(explain_refusal(LeaseAction::acquire, taken.error(), client_, target_, call_));
        return {};
    }

    // Releases the lease after an acquire that may have been carried out, so that no lease is left behind.
    Error give_up(Error error) {
        const bool asked = error.operation.starts_with("Lease") || error.operation.empty();  // it was thrown
        if (!held_ && !(asked && error.may_have_applied)) return error;
        if (options_.proposed_id.empty()) {
            const azure::Call last{clock_.after(kLeaseReleaseTime), {}};
            const auto released =
                within_limits([&] { return client_.release_lease(target_, out_.lease_id, {}, last); });
            if (released || is_definitive(released.error())) {
                if (asked) error.may_have_applied = false;
                return error;
            }
        }
        error.may_have_applied = true;
        error.hint = "it may be leased under the id " + out_.lease_id +
                     (endless_ ? ", and the lease may be infinite: release it" : " until that finite lease ends");
        return error;
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& target_;
    const AcquireOptions& options_;
    const azure::Call& call_;
    Clock& clock_;
    AcquiredLease out_;
    std::optional<LeaseView> lock_;  // the version that is to be leased, if it is a lock's blob
    bool held_ = false;
    bool endless_ = false;  // an infinite duration was asked for
    std::string told_;
    DecorrelatedJitter pauses_{client_.random(), kShortestPause, kLongestPause, kFirstPause};
};

}  // namespace

Result<AcquiredLease> acquire_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                    const AcquireOptions& options, const azure::Call& call) {
    return within_limits([&] { return Acquisition(client, target, options, call).run(); });
}

}  // namespace azlock::ops
