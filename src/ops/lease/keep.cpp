#include "ops/lease/keep.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kLongestTry{5};
constexpr milliseconds kShortestTry{500};
constexpr milliseconds kBetweenTries{500};
constexpr seconds kBetweenLooks{5};
constexpr seconds kLookAfterInfinite{60};
constexpr seconds kLate{1};

Error lost(Error why) {
    why.message = "the lease is lost: " + why.message;
    why.lost = true;
    return why;
}

class LeaseRenewal {
  public:
    LeaseRenewal(azure::BlobClient& client, const azure::BlobAddress& target, const KeepOptions& options,
                 const azure::Call& call)
        : client_(client), target_(target), options_(options), call_(call), clock_(client.clock()) {}

    Result<Kept> run() {
        const BootTime start = clock_.now();
        const WallTime wall = clock_.wall();
        if (auto first = renew_lease(client_, target_, options_.lease_id, call_); !first) return fail(first.error());
        renewed(start, wall);
        if (options_.holding) options_.holding(options_);
        while (!out_.lost) {
            if (!sleep_until(sent_ + renew_every()) || !renew()) break;
        }
        return out_;
    }

  private:
    [[nodiscard]] nanoseconds renew_every() const {
        const nanoseconds quarter = nanoseconds(options_.infinite ? kLookAfterInfinite : options_.ttl) / 4;
        return jittered(quarter, 0.9, 1.1, client_.random());
    }
    // The time that is left of the lease, by the clock that has advanced more.
    [[nodiscard]] nanoseconds left() const {
        if (options_.infinite) return kLookAfterInfinite;
        return options_.ttl - std::max<nanoseconds>(clock_.now() - sent_, clock_.wall() - sent_wall_);
    }

    void renewed(BootTime sent, WallTime wall) {
        sent_ = sent;
        sent_wall_ = wall;
        paused_ = false;
        chance_taken_ = false;
        ++out_.renewals;
    }

    // Notes a pause of the machine or of this process: something took much longer than planned, or the clocks disagree.
    // After a pause our own timers do not show whether the lease is lost.
    void note_pause(BootTime planned) {
        const BootTime now = clock_.now();
        if (now > planned + kLate || clock_.wall() - sent_wall_ > now - sent_ + kLate) paused_ = true;
    }

    // False: it is time to end.
    bool sleep_until(BootTime when) {
        const BootTime planned = std::min(when, call_.deadline);
        const bool heard = clock_.wait_until(planned, call_.stop);
        note_pause(planned);
        return heard && !call_.stop.stop_requested() && clock_.now() < call_.deadline;
    }

    // Tries until the lease is renewed. False: the lease is lost, or it is time to end.
    bool renew() {
        while (true) {
            const nanoseconds rest = left();
            const bool last_chance = rest <= nanoseconds(0);
            if (last_chance && (!paused_ || chance_taken_)) return lose(timed_out());
            chance_taken_ = chance_taken_ || last_chance;
            const nanoseconds span =
                last_chance ? kLongestTry : std::clamp<nanoseconds>(rest / 3, kShortestTry, kLongestTry);
            const BootTime now = clock_.now();
            const WallTime wall = clock_.wall();
            const azure::Call attempt{std::min(clock_.after(span), call_.deadline), call_.stop};
            const auto result = renew_once(client_, target_, options_.lease_id, attempt);
            if (result) {
                renewed(now, wall);
                return true;
            }
            if (is_definitive(result.error())) {
                return lose(explain_refusal(LeaseAction::renew, result.error(), client_, target_, last_look()));
            }
            why_ = result.error();
            if (call_.stop.stop_requested()) return false;
            note_pause(attempt.deadline);
            const nanoseconds pause = options_.infinite ? kBetweenLooks : kBetweenTries;
            const BootTime next = clock_.now() + std::max(std::min(pause, left()), nanoseconds(0));
            if (!sleep_until(next)) return false;
        }
    }

    [[nodiscard]] azure::Call last_look() const { return {clock_.after(kLongestTry), call_.stop}; }

    [[nodiscard]] Error timed_out() const {
        Error error = why_;
        error.code = ErrorCode::unavailable;
        error.message = "no renew succeeded before its time was over (" + why_.message + ")";
        return error;
    }

    bool lose(Error why) {
        out_.lost = lost(std::move(why));
        return false;
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& target_;
    const KeepOptions& options_;
    const azure::Call& call_;
    Clock& clock_;
    BootTime sent_;
    WallTime sent_wall_;
    bool paused_ = false;
    bool chance_taken_ = false;  // the one renew after a pause was tried
    Error why_;
    Kept out_;
};

}  // namespace

Result<Kept> keep_lease(azure::BlobClient& client, const azure::BlobAddress& target, const KeepOptions& options,
                        const azure::Call& call) {
    return LeaseRenewal(client, target, options, call).run();
}

Result<KeptUntilTold> keep_until_told(azure::BlobClient& client, const azure::BlobAddress& target,
                                      const KeepUntilToldOptions& options, const azure::Call& call) {
    KeepOptions keep = options.keep;
    if (options.duration) {
        keep.infinite = *options.duration == kInfiniteLease;
        if (!keep.infinite) keep.ttl = seconds(*options.duration);
    } else {
        // The record is not asked, because it may be about an earlier lease.
        const auto seen = look_at_lease(client, target, call);
        // Without permission to read, or if the blob has only staged blocks, the first renewal shows the result.
        const bool hidden =
            !seen && (seen.error().code == ErrorCode::auth || seen.error().code == ErrorCode::not_found);
        if (!seen && !hidden) return fail(seen.error());
        keep.infinite = seen && seen->lease.duration == "infinite";
    }
    auto kept = keep_lease(client, target, keep, call);
    if (!kept) return fail(kept.error());
    KeptUntilTold out{std::move(*kept), {}};
    if (out.lost) return out;
    const bool told = call.stop.stop_requested();
    if (options.release) {
        const azure::Call last{client.clock().after(kLeaseReleaseTime), {}};
        if (auto released = release_lease(client, target, keep.lease_id, last); !released) {
            if (is_definitive(released.error())) {
                out.lost = lost(released.error());
            } else {
                out.not_released = released.error();
            }
            return out;
        }
    }
    if (told) return out;
    return fail(ErrorCode::unavailable, "the time limit of --timeout has passed" +
                                            std::string(options.release ? "; the lease was released" : ""));
}

}  // namespace azlock::ops
