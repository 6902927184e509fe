#include "ops/queue/finish.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "ops/queue/insist.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;

constexpr seconds kFirstDelay{10};
constexpr seconds kLongestDelay{3600};
constexpr seconds kLongestPause{300};
constexpr std::uint64_t kDoublings = 9;

// `first`, doubled each time up to `longest`, and up to a quarter more. `times`: from 1.
seconds growing(std::chrono::milliseconds first, std::chrono::milliseconds longest, std::uint64_t times,
                Random& random) {
    const auto doublings = static_cast<int>(std::min(times > 0 ? times - 1 : 0, kDoublings));
    const auto delay = std::min(longest, first * (1 << doublings));
    return std::chrono::ceil<seconds>(jittered(delay, 1, 1.25, random));
}

}  // namespace

azure::Metadata ended_metadata(const QueueTask& task) {
    return with_task_fields(with_owner_record(task.metadata, {}), task);
}

Result<Finished> finish_task(const Queue& queue, const Claim& claim) {
    bool unanswered = false;
    return insist(queue, claim, [&](const azure::Call& call) -> Result<Finished> {
        const auto deleted = queue.many.delete_blob(claim.task.blob, "", claim.conditions(), call);
        unanswered = unanswered || (!deleted && deleted.error().may_have_applied);
        if (unanswered && !deleted && azure::is_missing(deleted.error())) {
            // After the lease's end (we were paused) somebody else may have had the task, and may have finished it.
            return queue.many.clock().now() < claim.lease_end() ? Finished::done : Finished::unknown;
        }
        return finished_by(deleted);
    });
}

bool may_not_delete(const Claim& claim, const Error& error) {
    return error.operation == "Delete Blob" && error.code == ErrorCode::precondition &&
           error.target == claim.task.blob.to_string();
}

void leave_remains(const Queue& queue, Claim& claim) {
    const azure::Metadata left = with_moving(ended_metadata(claim.task), Moving::left);
    (void)insist(queue, claim, [&](const azure::Call& call) -> Result<Finished> {
        const auto written = queue.many.set_metadata(claim.task.blob, left, claim.conditions(), call);
        if (written) claim.task.etag = written->etag;
        return finished_by(written);
    });
}

Result<Finished> give_back_task(const Queue& queue, const Claim& claim) {
    const azure::Metadata metadata = ended_metadata(claim.task);
    const auto written = insist(queue, claim, [&](const azure::Call& call) {
        return finished_by(queue.many.set_metadata(claim.task.blob, metadata, claim.conditions(), call));
    });
    if (!written || *written != Finished::done) return written;
    const auto released = queue.many.release_lease(claim.task.blob, claim.held.lease_id, {}, {claim.lease_end(), {}});
    if (!released && released.error().code == ErrorCode::unavailable) return Finished::done;  // it ends by itself
    return finished_by(released);
}

seconds later_delay(std::uint64_t deferred, Random& random) {
    return growing(kFirstDelay, kLongestDelay, deferred, random);
}

seconds failure_pause(std::chrono::milliseconds first, std::uint64_t failures, Random& random) {
    return growing(first, std::max<std::chrono::milliseconds>(first, kLongestPause), failures, random);
}

}  // namespace azlock::ops
