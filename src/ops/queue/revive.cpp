#include "ops/queue/revive.hpp"

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/queue/move.hpp"
#include "ops/queue/remains.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kReviveLease{60};

// Why the dead letter could not be leased.
Error not_leased(const Queue& queue, const QueueTask& dead, const azure::Call& call) {
    const std::string name = "the dead letter " + printable(dead.id);
    const auto head = queue.many.get_properties(dead.blob, {}, call);
    if (!head && !azure::is_missing_blob(head.error())) return head.error();
    if (!head) {
        return make_error(ErrorCode::not_found, name + " is gone",
                          "somebody else has put it back or deleted it: azlock queue list");
    }
    if (head->properties.lease.state == "leased") {
        return make_error(ErrorCode::busy, name + " is being put back by somebody else", "run the command again");
    }
    return make_error(ErrorCode::precondition, name + " has changed since azlock read it", "run the command again");
}

Result<Claim> lease(const Queue& queue, const Claimer& claimer, const QueueTask& dead, const azure::Call& call) {
    Clock& clock = queue.single.clock();
    const std::string id = queue.single.random().uuid();
    for (int attempt = 1;; ++attempt) {
        auto claim = claimer.lease(dead, id, call);
        if (claim && *claim) return std::move(**claim);
        if (claim) return fail(not_leased(queue, dead, call));
        if (!claim.error().retryable || attempt >= queue.retry.max_attempts) return fail(claim.error());
        const auto wait = http::backoff(queue.retry, attempt, std::nullopt, queue.single.random());
        if (!clock.wait_until(clock.after(wait), call.stop)) return fail(stopped_by_signal());
    }
}

// A blob that azlock did not make gets a key, by which its copy is known.
Status give_key(const Queue& queue, Claim& claim, const azure::Call& call) {
    if (!claim.task.key.empty()) return {};
    claim.task.key = new_task_key(queue.many.random());
    claim.task.metadata = with_task_fields(claim.task.metadata, claim.task);
    const auto written = queue.many.set_metadata(claim.task.blob, claim.task.metadata, claim.conditions(), call);
    if (!written) return fail(written.error());
    return {};
}

Result<Finished> move_back(const Queue& queue, const Claimer& claimer, Claim& claim, const azure::Call& call) {
    if (claim.task.moving != Moving::left) {
        const Status content = claimer.read_content(claim, call);
        if (!content && content.error().code != ErrorCode::io) return fail(content.error());
        if (auto ok = give_key(queue, claim, call); !ok) return fail(ok.error());
        if (auto ok = claimer.refresh(claim, call); !ok) return fail(ok.error());
    }
    QueueTask fresh;
    fresh.key = claim.task.key;
    fresh.attempts = fresh.forgiven = claim.task.attempts;
    fresh.put = queue.many.clock().wall();
    return move_task(queue, claim, with_task_fields(claim.task.metadata, fresh));
}

}  // namespace

Result<bool> revive_task(const Queue& queue, const QueueTask& dead, const azure::Call& call) {
    if (dead.moving == Moving::left) {
        const auto task = find_on_other_side(queue, dead, call);
        if (!task) return fail(task.error());
        if (!*task || (*task)->moving != Moving::arriving) {
            return delete_remains(queue, dead, call).map([&] { return task->has_value(); });
        }
    }
    const auto timing = make_lock_timing(kReviveLease, {});
    if (!timing) return fail(timing.error());
    const Claimer claimer(queue, *timing);
    auto claim = lease(queue, claimer, dead, call);
    if (!claim) return fail(claim.error());
    const auto moved = move_back(queue, claimer, *claim, call);
    if (moved && *moved == Finished::done) return true;
    claimer.release(*claim);
    if (!moved) return fail(moved.error());
    Error error = make_error(ErrorCode::unavailable,
                             *moved == Finished::lost
                                 ? "azlock lost the lease of the dead letter " + printable(dead.id)
                                 : "the service did not answer while azlock put " + printable(dead.id) + " back",
                             "run the command again: it finishes what was begun");
    error.may_have_applied = true;
    return fail(error);
}

}  // namespace azlock::ops
