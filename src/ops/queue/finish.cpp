#include "ops/queue/finish.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
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
Result<Finished> insist(const Queue& queue, const Claim& claim, const Act& act) {
    Clock& clock = queue.many.clock();
    const BootTime until = claim.lease_end();
    if (clock.now() >= until) return Finished::lost;
    milliseconds pause = kPause;
    for (;;) {
        auto result = act(azure::Call{until, {}});
        if (result) return result;
        if (clock.now() >= until) return Finished::unknown;
        if (result.error().code != ErrorCode::unavailable) return result;
        (void)clock.wait_until(std::min(clock.after(jittered(pause, 0.5, 1, queue.many.random())), until), {});
        pause = std::min(2 * pause, kLongestPause);
    }
}

// What the answer to a request with the lease id says.
template <typename T>
Result<Finished> finished_by(const Result<T>& answer) {
    if (answer) return Finished::done;
    if (is_definitive(answer.error())) return Finished::lost;
    return fail(answer.error());
}

azure::Metadata final_metadata(const QueueTask& task) {
    return with_task_fields(with_owner_record(task.metadata, {}), task);
}

Result<Finished> make_dead_letter(const Queue& queue, const Claim& claim, const std::string& id) {
    const auto content = claim.content->body();
    if (!content) return fail(content.error());
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    options.metadata = final_metadata(claim.task);
    options.conditions.if_none_match = "*";
    const azure::BlobAddress blob = queue.name.dead_letter(id);
    return insist(queue, claim, [&](const azure::Call& call) -> Result<Finished> {
        const auto put = queue.many.put_blob(blob, *content, options, call);
        if (put) return Finished::done;
        const auto head = queue.many.get_properties(blob, {}, call);
        if (!head) return fail(azure::is_missing(head.error()) ? put.error() : head.error());
        const auto present = read_dead_letter(queue.name, blob.blob, head->properties);
        return present && present->key == claim.task.key ? Finished::done : Finished::lost;
    });
}

}  // namespace

Result<Finished> finish_task(const Queue& queue, const Claim& claim) {
    bool unanswered = false;
    return insist(queue, claim, [&](const azure::Call& call) -> Result<Finished> {
        const auto deleted = queue.many.delete_blob(claim.task.blob, "", claim.conditions(), call);
        unanswered = unanswered || (!deleted && deleted.error().may_have_applied);
        if (unanswered && !deleted && azure::is_missing(deleted.error())) return Finished::done;
        return finished_by(deleted);
    });
}

Result<Finished> give_back_task(const Queue& queue, const Claim& claim) {
    const azure::Metadata metadata = final_metadata(claim.task);
    const auto written = insist(queue, claim, [&](const azure::Call& call) {
        return finished_by(queue.many.set_metadata(claim.task.blob, metadata, claim.conditions(), call));
    });
    if (!written || *written != Finished::done) return written;
    const auto released = queue.many.release_lease(claim.task.blob, claim.held.lease_id, {}, {claim.lease_end(), {}});
    if (!released && released.error().code == ErrorCode::unavailable) return Finished::done;  // it ends by itself
    return finished_by(released);
}

Result<Finished> bury_task(const Queue& queue, const Claim& claim) {
    // The write of a dead letter cannot carry the lease id, so a renew proves the lease just before it.
    const auto held = insist(queue, claim, [&](const azure::Call& call) {
        return finished_by(queue.many.renew_lease(claim.task.blob, claim.held.lease_id, {}, call));
    });
    if (!held || *held != Finished::done) return held;
    auto made = make_dead_letter(queue, claim, claim.task.id);
    if (made && *made == Finished::lost) made = make_dead_letter(queue, claim, claim.task.id + "." + claim.task.key);
    if (!made || *made != Finished::done) return made;
    return finish_task(queue, claim);
}

seconds retry_delay(std::uint64_t deferred, Random& random) {
    const auto doublings = static_cast<int>(std::min(deferred > 0 ? deferred - 1 : 0, kDoublings));
    const seconds delay = std::min(kLongestDelay, kFirstDelay * (1 << doublings));
    return std::chrono::round<seconds>(jittered(delay, 1, 1.25, random));
}

}  // namespace azlock::ops
