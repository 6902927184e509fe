// Claims a task: leases it, reads its content, and counts the attempt before anything runs.
#pragma once

#include <memory>
#include <optional>

#include "ops/lease/held_lease.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/lock/timing.hpp"
#include "ops/queue/task.hpp"
#include "ops/read/content_file.hpp"

namespace azlock::ops {

// A task whose lease we hold.
struct Claim {
    QueueTask task;  // as it is now
    HeldLease held;
    std::shared_ptr<ContentFile> content;

    // The lease is ours until this time: its length, counted from just before the last acquire or renew was sent.
    [[nodiscard]] BootTime lease_end() const { return held.acquired.boot + held.length; }
    // Of a request that only the lease's holder may make.
    [[nodiscard]] azure::Conditions conditions() const {
        azure::Conditions out;
        out.lease_id = held.lease_id;
        return out;
    }
};

// How an attempt to end a claim came out.
enum class Finished {
    done,
    lost,    // somebody else has the lease, or the task is gone: it is not ours any more
    unknown  // there was no answer until the lease ended
};

class Claimer {
  public:
    // `timing`: of the tasks' leases.
    Claimer(const Queue& queue, const LockTiming& timing) : queue_(queue), timing_(timing) {}

    // Leases the version that was listed. nullopt: somebody else has leased, changed or deleted the task. After a lost
    // answer the lease is released. With the same id a repeat succeeds also if an earlier request comes late.
    [[nodiscard]] Result<std::optional<Claim>> lease(const QueueTask& listed, const azure::Call& call) const;
    [[nodiscard]] Result<std::optional<Claim>> lease(const QueueTask& listed, const std::string& lease_id,
                                                     const azure::Call& call) const;
    // Errors: busy (the lease is lost), precondition (the service refuses this task); those of the request.
    [[nodiscard]] Status read_content(Claim& claim, const azure::Call& call) const;
    // Writes the attempt and the owner record under the lease. Errors as above.
    [[nodiscard]] Status begin_attempt(Claim& claim, OwnerRecord owner, const azure::Call& call) const;
    // Renews if a quarter of the lease's time has passed.
    [[nodiscard]] Status refresh(Claim& claim, const azure::Call& call) const;
    // Releases the lease and changes nothing else. Errors are ignored.
    void release(const Claim& claim) const;

  private:
    [[nodiscard]] azure::Call within_lease(const Claim& claim, const azure::Call& call) const;

    Queue queue_;
    LockTiming timing_;
};

}  // namespace azlock::ops
