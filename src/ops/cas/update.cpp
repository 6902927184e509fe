#include "ops/cas/update.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "base/digest.hpp"
#include "base/quantity.hpp"
#include "ops/cas/create_blob.hpp"
#include "ops/cas/pauses.hpp"
#include "ops/cas/read.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/lease/turn_lease.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int kLostBeforeTurns = 3;
constexpr http::RetryPolicy kBetweenRounds{1, milliseconds(50), milliseconds(5'000), milliseconds(0)};
constexpr seconds kLeaseWait{60};
constexpr seconds kSilentWait{2};
constexpr seconds kTimeToRelease{5};

// Somebody else wrote after our read and before our write.
bool is_conflict(const Error& error) {
    return azure::is_condition_not_met(error) || error.service_code == "BlobAlreadyExists" ||
           error.service_code == "InvalidBlobType";
}

class Update {
  public:
    Update(azure::BlobClient& client, const azure::BlobAddress& blob, const CasTransform& transform,
           const CasOptions& options, const azure::Call& call)
        : client_(client),
          blob_(blob),
          transform_(transform),
          options_(options),
          call_(call),
          clock_(client.clock()),
          reader_(client, blob, options),
          turn_(client),
          pinned_(!options.if_match.empty() && options.if_match != kAnyVersion),
          take_turns_(options.take_turns && options.lease_id.empty() && !pinned_),
          end_(options.wait ? clock_.after(*options.wait) : kNoDeadline) {}

    ~Update() { end_turn(); }
    Update(const Update&) = delete;
    Update& operator=(const Update&) = delete;

    Result<CasReport> run() {
        for (;;) {
            const int tries = report_.tries;
            const BootTime start = clock_.now();
            auto done = round();
            if (done) return done;
            why_ = done.error();
            const bool conflict = !why_.may_have_applied && !pinned_ && is_conflict(why_);
            const bool lease = !why_.may_have_applied && options_.lease_id.empty() && azure::is_lease_refusal(why_);
            if (!conflict && !lease) return fail(why_);
            // A lease that was seen before the transform has cost nothing.
            if (conflict || report_.tries > tries) ++lost_;
            if (report_.tries > tries) last_try_ = clock_.now() - start;
            if (auto ready = prepare(lease); !ready) return fail(ready.error());
        }
    }

  private:
    // An error may mean that the round was lost.
    Result<CasReport> round() {
        auto seen = reader_.read(call_);
        if (!seen) return fail(seen.error());
        if (auto ours = recognise(seen->base)) return *ours;
        if (seen->leased && !turn_.held() && options_.lease_id.empty()) return fail(leased());
        ++report_.tries;
        if (turn_.held()) ++report_.turns;
        patience_.reset();
        const CasInput input{seen->base.exists, seen->base.etag, report_.tries, seen->content.view(),
                             seen->content.fd()};
        auto made = transform_(input, call_);
        if (!made) return fail(with_target(made.error()));
        report_.etag = seen->base.etag;
        report_.bytes = input.content.size();
        report_.value = made->value;
        if (made->skip) return finished(CasReport::Outcome::skipped);
        bool changes = apply_changes(seen->put, options_.changes);
        if (options_.fence && !carries_fence(seen->put.metadata, *options_.fence)) {
            put_fence(seen->put.metadata, *options_.fence);
            changes = true;
        }
        const bool same = seen->base.exists && input.text() == made->content;
        if (same && !changes && !options_.touch) return finished(CasReport::Outcome::unchanged);
        if (made->content.size() > options_.max_size) {
            return fail(with_target(too_large("the new content", options_.max_size)));
        }
        report_.bytes = made->content.size();
        return write(*seen, std::move(made->content));
    }

    CasReport finished(CasReport::Outcome outcome) {
        report_.outcome = outcome;
        return report_;
    }

    // Finds a write of an earlier round that reached the service late, after the round had counted as lost.
    std::optional<CasReport> recognise(const BlobBase& base) {
        for (const auto& [id, report] : sent_) {
            if (const auto ours = find_write(base, id)) {
                report_ = report;
                report_.etag = ours->etag;
                report_.recognised = true;
                return report_;
            }
        }
        return std::nullopt;
    }

    Result<CasReport> write(CasVersion& seen, std::string content) {
        azure::PutBlobOptions put = std::move(seen.put);
        put.checksum = {azure::Checksum::Kind::md5, base64_encode(md5(as_bytes(content)))};
        const auto body = http::make_body(std::move(content));
        // One write id for one base: a second write over the same version counts as the same write. But each creation
        // has its own, because the blob may have been created and deleted in between.
        if (write_id_ == 0 || !seen.base.exists || seen.base.etag != written_over_) write_id_ = client_.random().next();
        written_over_ = seen.base.etag;
        report_.created = !seen.base.exists;
        sent_[write_id_] = report_;
        const std::string lease_id = turn_.held() ? turn_.id() : options_.lease_id;
        const auto replace = [&](const azure::Conditions& conditions, const WriteRing& ring) {
            put.conditions = conditions;
            if (const std::size_t kept = ring.write(put.metadata); kept < ring.size()) tell_of_short_ring(kept);
            return client_.put_blob(blob_, body, put, call_);
        };
        const auto written = seen.base.exists
                                 ? write_over(client_, blob_, seen.base, write_id_, lease_id, call_, replace)
                                 : create_blob(client_, blob_, body, put, write_id_, lease_id, call_);
        if (!written) return fail(written.error());
        report_.etag = written->etag;
        report_.recognised = written->recognised;
        return finished(CasReport::Outcome::written);
    }

    void tell_of_short_ring(std::size_t kept) {
        if (!told_of_ring_) {
            options_.tell(blob_.to_string() + ": its metadata leaves room for " + std::to_string(kept) + " of " +
                          std::to_string(WriteRing::kCapacity) +
                          " write ids, so that a lost answer can more often not be resolved");
        }
        told_of_ring_ = true;
    }

    // Checks the limits, then waits until the next round may start. An error ends the update.
    Status prepare(bool lease) {
        end_turn();
        // A round can be lost before the transform is called.
        const int rounds = std::max(report_.tries, lost_);
        const bool tried = options_.max_tries && rounds >= *options_.max_tries;
        if (tried || clock_.now() >= end_) return fail(lease ? busy() : too_often());
        if (!lease) {
            options_.lost_round("somebody else wrote it first (try " + std::to_string(rounds) + ")");
        }
        if (lease || wants_turn()) {
            if (auto ready = wait_for_lease(); !ready) return ready;
            if (lease || turn_.held()) return {};
        }
        return pause(http::backoff(kBetweenRounds, lost_, {}, client_.random()), end_);
    }

    // Other writers were faster in several rounds, so we take a turn. A lease in the way does not count as such a
    // round: otherwise one turn would make everybody take turns, and the blob would always have a lease.
    [[nodiscard]] bool wants_turn() const { return take_turns_ && lost_ >= kLostBeforeTurns; }

    // Waits until nobody has a lease and, if we want a turn, until we have it.
    Status wait_for_lease() {
        const BootTime start = clock_.now();
        if (!patience_) patience_ = options_.wait ? end_ : clock_.after(kLeaseWait);
        const BootTime until = *patience_;
        bool told = false;
        for (;;) {
            auto ready = nobody_has_it();
            if (ready && *ready && wants_turn()) {
                if (auto ok = pause(jittered(room_for_others(last_try_), 1, 2, client_.random()), until); !ok)
                    return ok;
                ready = try_turn();
            }
            if (!ready) return fail(ready.error());
            if (*ready) return {};
            const BootTime now = clock_.now();
            if (now >= until) return fail(busy());
            if (!told && now - start >= kSilentWait) {
                told = true;
                if (const auto view = look_at_lease(client_, blob_, call_); view && view->is_taken()) {
                    options_.tell("waiting for " + blob_.to_string() + ": leased by " + view->holder());
                }
            }
            const nanoseconds span = between_looks(now - start);
            if (auto ok = pause(jittered(span, 0.5, 1.5, client_.random()), until); !ok) return ok;
        }
    }

    // False: not yet. Errors end the update.
    Result<bool> try_turn() {
        const auto got = turn_.take(blob_, call_);
        if (got && options_.long_turns) renewal_ = turn_.renewing();
        if (got) return true;
        if (got.error().code == ErrorCode::not_found) return true;  // the next look at the blob says more
        if (got.error().code == ErrorCode::auth) {
            take_turns_ = false;
            return nobody_has_it();
        }
        if (!azure::is_lease_refusal(got.error())) return fail(got.error());
        why_ = got.error();
        return false;
    }

    void end_turn() {
        renewal_ = {};
        turn_.release({clock_.after(kTimeToRelease), {}});
    }

    Result<bool> nobody_has_it() {
        const auto view = look_at_lease(client_, blob_, call_);
        if (!view && view.error().code == ErrorCode::not_found) return true;
        if (!view) return fail(view.error());
        if (!view->is_taken()) return true;
        why_ = leased();
        return false;
    }

    Status pause(nanoseconds span, BootTime until) {
        if (clock_.wait_until(std::min({clock_.after(span), until, call_.deadline}), call_.stop)) return {};
        return fail(with_target(make_error(ErrorCode::cancelled, "stopped by a signal; nothing was written")));
    }

    [[nodiscard]] Error with_target(Error error) const {
        if (error.target.empty()) error.target = blob_.to_string();
        return error;
    }

    // The same error that the service gives for a write to a leased blob, although no write was sent.
    [[nodiscard]] Error leased() const {
        Error error = make_error(ErrorCode::busy, "it is leased by somebody else", "use -w to wait longer");
        error.http_status = 409;
        error.service_code = "LeaseAlreadyPresent";
        error.target = blob_.to_string();
        return error;
    }

    [[nodiscard]] Error busy() const {
        Error error = explain_refusal(LeaseAction::acquire, why_, client_, blob_, call_);
        error.code = ErrorCode::busy;
        return error;
    }

    [[nodiscard]] Error too_often() const {
        Error error = why_;
        error.code = ErrorCode::precondition;
        error.message = "somebody else wrote it first each time (" +
                        format_count(static_cast<std::uint64_t>(report_.tries), "try", "tries") +
                        "); nothing was written";
        error.hint = "use --max-tries or -w to let azlock try for longer";
        error.retryable = true;
        return error;
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    const CasTransform& transform_;
    const CasOptions& options_;
    const azure::Call& call_;
    Clock& clock_;
    CasReader reader_;
    TurnLease turn_;  // taken after several lost rounds, to write without a race
    std::jthread renewal_;
    bool pinned_;  // one version is named
    bool take_turns_;
    BootTime end_;
    std::optional<BootTime> patience_;  // how long to wait for leases before the next try
    Error why_;
    int lost_ = 0;
    nanoseconds last_try_{0};
    bool told_of_ring_ = false;
    std::uint64_t write_id_ = 0;
    std::string written_over_;
    std::map<std::uint64_t, CasReport> sent_;  // the report of each write, in case it is found later
    CasReport report_;
};

}  // namespace

Result<CasReport> cas_update(azure::BlobClient& client, const azure::BlobAddress& blob, const CasTransform& transform,
                             const CasOptions& options, const azure::Call& call) {
    return Update(client, blob, transform, options, call).run();
}

}  // namespace azlock::ops
