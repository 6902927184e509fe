#include "ops/lease/break.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = BreakReport::Outcome;

constexpr int kTries = 5;
constexpr milliseconds kMaxTtl = seconds(60);
constexpr milliseconds kLookEvery = seconds(1);

class Break {
  public:
    Break(azure::BlobClient& client, const azure::BlobAddress& target, const BreakOptions& options,
          const azure::Call& call)
        : client_(client), target_(target), options_(options), call_(call) {}

    Result<BreakReport> run() {
        for (int tries = 1;; ++tries) {
            const auto seen = look_at_lease(client_, target_, call_);
            if (!seen && (bound() || !is_hidden(seen.error()))) return fail(seen.error());
            report_.before = seen ? *seen : LeaseView{};
            if (auto no = not_to_be_broken()) return *no;
            auto broken = report_.before.lease.state == "available" ? azure::LeaseResult() : send();
            if (broken) return done(*broken);
            const Error& error = broken.error();
            applied_ = applied_ || error.may_have_applied;
            if (error.service_code == "LeaseNotPresentWithLeaseOperation") return over();
            if (!azure::is_condition_not_met(error) || tries >= kTries) return fail(error);
        }
    }

  private:
    [[nodiscard]] bool bound() const { return options_.conditions.any() || options_.holder_is_dead; }

    // A lease can be broken even if the look at it fails: we may not read, or the blob has only staged blocks.
    static bool is_hidden(const Error& error) { return error.code == ErrorCode::auth || azure::is_missing_blob(error); }

    // The report if no break must be sent, else nullopt.
    std::optional<BreakReport> not_to_be_broken() {
        const std::string& state = report_.before.lease.state;
        // A dead mark ends the wait of the next holder.
        report_.waits_for_earlier = options_.holder_is_dead && options_.conditions.any() &&
                                    (report_.before.owner.former || report_.before.former);
        const bool mark = options_.holder_is_dead && report_.before.next_holder_waits() && !report_.waits_for_earlier;
        if ((state == "available" || state == "broken") && !mark) return over();
        if (options_.must_be_leased && !state.empty() && !report_.before.is_taken()) return over();
        if (auto why = mismatch(report_.before, options_.conditions)) {
            report_.outcome = Outcome::no_match;
            report_.why = *why;
            return report_;
        }
        report_.period = options_.holder_is_dead ? 0 : options_.period;
        if (!report_.period) report_.period = polite_period(report_.before.owner);
        if (!options_.dry_run) return std::nullopt;
        report_.outcome = Outcome::would_break;
        return report_;
    }

    // Nobody holds the lease: an earlier attempt of ours broke it, or it was free before.
    BreakReport over() {
        report_.outcome = applied_ ? Outcome::broken : Outcome::not_leased;
        if (options_.holder_is_dead && !report_.waits_for_earlier) report_.dead_mark = true;
        return report_;
    }

    Result<azure::LeaseResult> send() {
        azure::Conditions only_this;
        if (bound() && target_.is_container()) only_this.if_unmodified_since = report_.before.last_modified;
        if (bound() && !target_.is_container()) only_this.if_match = report_.before.etag;
        return client_.break_lease(target_, report_.period, only_this, call_);
    }

    Result<BreakReport> done(const azure::LeaseResult& broken) {
        report_.outcome = Outcome::broken;
        report_.seconds_left = broken.seconds_left.value_or(0);
        if (options_.holder_is_dead && !report_.waits_for_earlier) {
            auto marked = mark();
            if (!marked) {
                Error error = marked.error();
                error.message = "the lease is broken, but its holder could not be marked as dead: " + error.message;
                return fail(std::move(error));
            }
            report_.dead_mark = *marked;
        }
        return report_;
    }

    // The write also makes the lease available. False: somebody else has leased or written the blob meanwhile.
    Result<bool> mark() {
        const azure::Metadata metadata = with_dead_mark(report_.before.metadata);
        azure::Conditions unchanged;
        unchanged.if_match = report_.before.etag;
        const auto written = client_.set_metadata(target_, metadata, unchanged, call_);
        if (written) return true;
        const Error& error = written.error();
        if (error.code != ErrorCode::busy && error.code != ErrorCode::precondition && !error.may_have_applied) {
            return fail(error);
        }
        const auto seen = look_at_lease(client_, target_, call_);
        if (!seen) return fail(seen.error());
        return !seen->is_taken() && seen->lease.state != "broken";
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& target_;
    const BreakOptions& options_;
    const azure::Call& call_;
    BreakReport report_;
    bool applied_ = false;  // an attempt whose answer was lost may have broken it
};

// The records of other tools have the fields `owner` and `tool`.
std::optional<std::string> field(const LeaseView& view, const std::string& key) {
    if (!view.foreign) return owner_field(view.owner, key);
    if (iequals(key, "tool")) return view.foreign->tool;
    return iequals(key, "owner") && !view.foreign->who.empty() ? std::optional(view.foreign->who) : std::nullopt;
}

}  // namespace

std::optional<std::string> mismatch(const LeaseView& view, const BreakConditions& conditions) {
    for (const auto& [key, wanted] : conditions.owner) {
        const auto found = field(view, key);
        if (found == wanted) continue;
        const std::string name = printable(key);
        return found ? name + " is " + in_quotes(*found) + ", not " + in_quotes(wanted) : "its record has no " + name;
    }
    if (conditions.fence && view.owner.fence != conditions.fence) {
        return view.owner.fence
                   ? "its fence is " + std::to_string(*view.owner.fence) + ", not " + std::to_string(*conditions.fence)
                   : std::string("its record has no fence");
    }
    if (conditions.older_than) {
        const auto age = view.age();
        if (!age) return "no record says since when it is held";
        if (*age <= *conditions.older_than) return "it has been held for only " + format_duration(*age);
    }
    return std::nullopt;
}

std::optional<int> polite_period(const OwnerRecord& record) {
    if (!record.renew_every) return std::nullopt;
    const milliseconds ttl = record.ttl.value_or(kMaxTtl);
    const milliseconds kill_after = record.kill_after.value_or(std::min<milliseconds>(seconds(10), ttl / 5));
    const milliseconds margin = std::min<milliseconds>(seconds(5), seconds(2) + ttl / 20);
    const milliseconds sum = *record.renew_every * 6 / 5 + seconds(5) + kill_after + margin;
    return static_cast<int>(std::chrono::ceil<seconds>(std::min(sum, kMaxTtl)).count());
}

Result<BreakReport> break_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                const BreakOptions& options, const azure::Call& call) {
    return Break(client, target, options, call).run();
}

Result<LeaseView> wait_until_free(azure::BlobClient& client, const azure::BlobAddress& target, int seconds_left,
                                  const azure::Call& call) {
    Clock& clock = client.clock();
    std::chrono::nanoseconds pause = seconds(seconds_left);
    while (true) {
        if (!clock.wait_until(std::min(clock.after(pause), call.deadline), call.stop)) {
            return fail(ErrorCode::cancelled, "stopped while waiting until the lease is free");
        }
        const auto seen = look_at_lease(client, target, call);
        if (!seen || seen->lease.state != "breaking") return seen;
        pause = kLookEvery;
    }
}

}  // namespace azlock::ops
