// What becomes of a task that was claimed: finished, given back, or put among the dead letters. Each is fenced by the
// lease: whoever has lost it changes nothing.
#pragma once

#include <chrono>
#include <string>

#include "ops/queue/claim.hpp"

namespace azlock::ops {

enum class Finished {
    done,
    lost,    // the lease is somebody else's, or the task is gone: it is theirs
    unknown  // no answer until the lease had ended
};

// All of these try until the lease ends. Error: what another try would not change.
class Finisher {
  public:
    explicit Finisher(const QueueClients& clients) : clients_(clients) {}

    // Deletes it with the lease id. A task that is not there any more was deleted by us only if an earlier delete of
    // ours was not answered.
    [[nodiscard]] Result<Finished> finish(const Claim& claim) const;
    // Writes the task's fields, the owner record taken out, then releases. The fields are claim.task's.
    [[nodiscard]] Result<Finished> give_back(const Claim& claim) const;
    // Creates PREFIX.dead/ID with the content and claim.task's fields, if it is not there yet, then deletes the task.
    // Where another task of that id died before, the name is ID.KEY.
    [[nodiscard]] Result<Finished> bury(const Claim& claim, const QueueName& queue) const;

  private:
    [[nodiscard]] Result<Finished> make_dead_letter(const Claim& claim, const QueueName& queue,
                                                    const std::string& id) const;
    QueueClients clients_;
};

// After an attempt that asked for one (75): 10 s, doubled with each, at most an hour; up to a quarter more at random.
[[nodiscard]] std::chrono::seconds retry_delay(std::uint64_t deferred, Random& random);

}  // namespace azlock::ops
