#include "ops/queue/bury.hpp"

#include "ops/queue/finish.hpp"
#include "ops/queue/insist.hpp"
#include "ops/queue/move.hpp"

namespace azlock::ops {

Result<Finished> bury_task(const Queue& queue, const Claim& claim) {
    Claim dying = claim;
    dying.task.moving = Moving::no;
    dying.task.metadata = ended_metadata(dying.task);
    const azure::Metadata of_letter = dying.task.metadata;
    dying.task.moving = claim.task.moving;
    if (claim.task.moving == Moving::no) {
        const auto decided = insist(queue, claim, [&](const azure::Call& call) {
            return finished_by(queue.many.set_metadata(claim.task.blob, dying.task.metadata, claim.conditions(), call));
        });
        if (!decided || *decided != Finished::done) return decided;
    }
    return move_task(queue, dying, of_letter);
}

}  // namespace azlock::ops
