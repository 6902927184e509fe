#include "ops/queue/finish.hpp"

#include <algorithm>
#include <cmath>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPause{250};
constexpr milliseconds kLongestPause{4000};
constexpr seconds kFirstDelay{10};
constexpr seconds kLongestDelay{3600};
constexpr std::uint64_t kDoublings = 9;

// Calls `act` until it succeeds, fails with an error that a retry would not change, or the lease has ended. After that
// end nothing is sent.
template <typename Act>
Result<Finished> insist(Clock& clock, Random& random, BootTime until, const Act& act) {
    if (clock.now() >= until) return Finished::lost;
    milliseconds pause = kPause;
    for (;;) {
        auto result = act(azure::Call{until, {}});
        if (result) return result;
        if (clock.now() >= until) return Finished::unknown;
        if (result.error().code != ErrorCode::unavailable) return result;
        (void)clock.wait_until(std::min(clock.after(jittered(pause, 0.5, 1, random)), until), {});
        pause = std::min(2 * pause, kLongestPause);
    }
}

}  // namespace

Result<Finished> Finisher::finish(const Claim& claim) const {
    bool unanswered = false;
    azure::Conditions ours;
    ours.lease_id = claim.held.lease_id;
    return insist(clients_.many.clock(), clients_.many.random(), claim.lease_end(),
                  [&](const azure::Call& call) -> Result<Finished> {
                      const auto deleted = clients_.many.delete_blob(claim.task.blob, "", ours, call);
                      if (deleted) return Finished::done;
                      const Error& error = deleted.error();
                      unanswered = unanswered || error.may_have_applied;
                      if (azure::is_missing(error)) return unanswered ? Finished::done : Finished::lost;
                      if (is_definitive(error)) return Finished::lost;
                      return fail(error);
                  });
}

Result<Finished> Finisher::give_back(const Claim& claim) const {
    azure::Conditions ours;
    ours.lease_id = claim.held.lease_id;
    const azure::Metadata metadata = with_task_fields(with_owner_record(claim.task.metadata, {}), claim.task);
    auto written = insist(clients_.many.clock(), clients_.many.random(), claim.lease_end(),
                          [&](const azure::Call& call) -> Result<Finished> {
                              const auto set = clients_.many.set_metadata(claim.task.blob, metadata, ours, call);
                              if (set) return Finished::done;
                              if (is_definitive(set.error()) || azure::is_missing(set.error())) return Finished::lost;
                              return fail(set.error());
                          });
    if (!written || *written != Finished::done) return written;
    const auto released =
        clients_.many.release_lease(claim.task.blob, claim.held.lease_id, {}, {claim.lease_end(), {}});
    if (released || released.error().code == ErrorCode::unavailable) return Finished::done;  // it ends by itself
    if (is_definitive(released.error()) || azure::is_missing(released.error())) return Finished::lost;
    return fail(released.error());
}

Result<Finished> Finisher::make_dead_letter(const Claim& claim, const QueueName& queue, const std::string& id) const {
    const auto content = claim.content->body();
    if (!content) return fail(content.error());
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    options.metadata = with_task_fields(with_owner_record(claim.task.metadata, {}), claim.task);
    options.conditions.if_none_match = "*";
    const azure::BlobAddress blob = queue.dead_letter(id);
    return insist(clients_.many.clock(), clients_.many.random(), claim.lease_end(),
                  [&](const azure::Call& call) -> Result<Finished> {
                      const auto put = clients_.many.put_blob(blob, *content, options, call);
                      if (put) return Finished::done;
                      const auto head = clients_.many.get_properties(blob, {}, call);
                      if (!head) return fail(azure::is_missing(head.error()) ? put.error() : head.error());
                      const auto present = read_dead_letter(queue, blob.blob, head->properties);
                      return present && present->key == claim.task.key ? Finished::done : Finished::lost;
                  });
}

Result<Finished> Finisher::bury(const Claim& claim, const QueueName& queue) const {
    // The write of a dead letter cannot carry the lease id, so a renew proves the lease just before it.
    const auto held = insist(clients_.many.clock(), clients_.many.random(), claim.lease_end(),
                             [&](const azure::Call& call) -> Result<Finished> {
                                 const auto renewed =
                                     clients_.many.renew_lease(claim.task.blob, claim.held.lease_id, {}, call);
                                 if (renewed) return Finished::done;
                                 if (is_definitive(renewed.error())) return Finished::lost;
                                 return fail(renewed.error());
                             });
    if (!held || *held != Finished::done) return held;
    auto made = make_dead_letter(claim, queue, claim.task.id);
    if (made && *made == Finished::lost) made = make_dead_letter(claim, queue, claim.task.id + "." + claim.task.key);
    if (!made || *made != Finished::done) return made;
    return finish(claim);
}

seconds retry_delay(std::uint64_t deferred, Random& random) {
    const auto doublings = static_cast<int>(std::min(deferred > 0 ? deferred - 1 : 0, kDoublings));
    const seconds delay = std::min(kLongestDelay, kFirstDelay * (1 << doublings));
    return std::chrono::round<seconds>(jittered(delay, 1, 1.25, random));
}

}  // namespace azlock::ops
