// Claiming a task: its lease, its content, and the attempt that is counted before anything runs.
#pragma once

#include <memory>
#include <optional>

#include "ops/lock/acquire.hpp"
#include "ops/queue/put.hpp"
#include "ops/read/content_file.hpp"

namespace azlock::ops {

// A task whose lease we hold.
struct Claim {
    QueueTask task;  // as it is now
    HeldLock held;
    std::shared_ptr<ScratchFile> content;

    // When the lease ends at the latest, as long as only it was renewed.
    [[nodiscard]] BootTime lease_end() const { return held.acquired.boot + held.length; }
};

class Claimer {
  public:
    // `timing` is that of the leases. The clients must outlive this.
    Claimer(const QueueClients& clients, const LockTiming& timing) : clients_(clients), timing_(timing) {}

    // Leases exactly what was listed. nullopt: it is not (or no longer) so: somebody else was there before. After a
    // lost answer the lease is given back.
    [[nodiscard]] Result<std::optional<Claim>> lease(const QueueTask& listed, const azure::Call& call) const;
    // Errors: precondition (the lease is lost); those of the request.
    [[nodiscard]] Status read_content(Claim& claim, const azure::Call& call) const;
    // Writes the attempt and who makes it, under the lease. Errors as above.
    [[nodiscard]] Status begin_attempt(Claim& claim, OwnerRecord owner, const azure::Call& call) const;
    // Renews where the lease has lost a quarter of its time.
    [[nodiscard]] Status refresh(Claim& claim, const azure::Call& call) const;
    // Gives the lease back, and changes nothing.
    void release(const Claim& claim) const;

  private:
    [[nodiscard]] azure::Call within_lease(const Claim& claim, const azure::Call& call) const;

    QueueClients clients_;
    LockTiming timing_;
};

}  // namespace azlock::ops
