// One try for a lock: read it, lease it exactly as it was read, say who else has it. And the record under the lease.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "azure/client.hpp"
#include "ops/lease/owner_record.hpp"
#include "ops/lock/lock_rules.hpp"
#include "ops/lock/name.hpp"
#include "ops/lock/timing.hpp"

namespace azlock::ops {

// A lease that we hold.
struct HeldLock {
    azure::BlobAddress blob;
    std::uint64_t slot = 0;
    std::string lease_id;
    std::uint64_t fence = 0;
    Now acquired{};  // before the acquire, or the last renew that succeeded, was sent
    std::chrono::seconds length{0};
    std::optional<WallTime> date;
    azure::Metadata metadata;  // as it was found
    // The former holder's lease was broken and it may not know yet: nothing may run for so long. Zero: no such worry.
    std::chrono::milliseconds quarantine{0};
};

// Somebody else has it.
struct LockBusy {
    std::string lease_state;  // of the blob that is described
    OwnerRecord owner;
    std::optional<WallTime> date;
    bool soon = false;  // it may be free at any moment
};

class Acquirer {
  public:
    // `client` repeats what fails; `single` sends each request once only, for what must be counted from before it was
    // sent. Both must outlive this.
    Acquirer(azure::BlobClient& client, azure::BlobClient& single, LockName name, const LockTiming& timing,
             bool quarantine)
        : client_(client), single_(single), name_(std::move(name)), timing_(timing), quarantine_(quarantine) {}

    // Tries each slot once, beginning at a random one. Container and blob are made where they are missing.
    // Errors: usage (the lock has another number of slots), data (fencing token), and those of the requests.
    using Outcome = std::variant<HeldLock, LockBusy>;
    [[nodiscard]] Result<Outcome> try_once(const azure::Call& call);

    // Writes the record under the lease; foreign metadata stays.
    [[nodiscard]] Status write_record(const HeldLock& held, const OwnerRecord& record, const azure::Call& call);
    // Keeps the lease while the quarantine lasts, then begins it anew with the lock's own ttl. After an error it must
    // not be released: whoever comes next would believe that all is well. It ends by itself when the former holder's
    // has.
    [[nodiscard]] Status sit_out_quarantine(HeldLock& held, const azure::Call& call);
    // Renews before anything is started; on success `held` counts from now.
    [[nodiscard]] Status renew(HeldLock& held, const azure::Call& call);
    // Gives the lease back. `call` is not the one that was stopped.
    [[nodiscard]] Status release(const HeldLock& held, const azure::Call& call);

    [[nodiscard]] const LockName& name() const { return name_; }

  private:
    using Head = azure::BlobClient::HeadResult;
    [[nodiscard]] Result<Head> head_or_create(const azure::BlobAddress& blob, const azure::Call& call);
    [[nodiscard]] Status create(const azure::BlobAddress& blob, const azure::Call& call);
    [[nodiscard]] Status check_slots(const azure::BlobAddress& blob, const OwnerRecord& record) const;
    [[nodiscard]] Result<Outcome> try_slot(std::uint64_t slot, const std::optional<Head>& known,
                                           const azure::Call& call);
    [[nodiscard]] Result<std::optional<HeldLock>> lease(std::uint64_t slot, const Head& head, const azure::Call& call);
    void give_up(const azure::BlobAddress& blob, const std::string& id);

    azure::BlobClient& client_;
    azure::BlobClient& single_;
    LockName name_;
    LockTiming timing_;
    bool quarantine_;
};

}  // namespace azlock::ops
