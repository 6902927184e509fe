// Tries once to take a lock: leases the version that was read, or says who holds it. Writes the record under the lease.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "azure/client.hpp"
#include "ops/lease/held_lease.hpp"
#include "ops/lease/view.hpp"
#include "ops/lock/lock_name.hpp"
#include "ops/lock/timing.hpp"

namespace azlock::ops {

// The lease of a lock's slot.
struct HeldLock : HeldLease {
    std::uint64_t slot = 0;
    std::uint64_t fence = 0;
    BootTime fence_from{};  // no command may get it before
    // The former holder has not said that its command has ended. No command may start for this time. Zero: no wait.
    std::chrono::milliseconds quarantine{0};
    std::string record_etag;  // of the version that was leased, then of the one that has our record
};

// Somebody else has it.
struct LockBusy {
    azure::BlobAddress blob;
    LeaseView view;            // of that blob
    bool soon = false;         // it may be free at any moment
    bool passed_over = false;  // it is free, but has a quarantine
};

class Acquirer {
  public:
    // `client` retries. `single` sends each request once, so that a lease can be counted from just before that moment.
    // Both must outlive this.
    Acquirer(azure::BlobClient& client, azure::BlobClient& single, LockName name, const LockTiming& timing,
             bool quarantine)
        : client_(client), single_(single), name_(std::move(name)), timing_(timing), quarantine_(quarantine) {}

    // Tries each slot once, starting at a random one; those with a quarantine only if no other is free. Creates the
    // container and the blob if they are missing. Errors: usage (the lock has another number of slots), data (fencing
    // token), and those of the requests.
    using Outcome = std::variant<HeldLock, LockBusy>;
    [[nodiscard]] Result<Outcome> try_once(const azure::Call& call) { return try_slots(true, call); }
    // To be called if no other try follows: releases what an unanswered acquire may have taken.
    void abandon();

    // Writes the record under the lease. Metadata that is not azlock's stays. Returns the ETag.
    [[nodiscard]] Result<std::string> write_record(const HeldLock& held, const OwnerRecord& record,
                                                   const azure::Call& call);
    // Writes it again while the command runs, which may have written to the blob's metadata.
    [[nodiscard]] Status rewrite_record(const HeldLock& held, const OwnerRecord& record, const azure::Call& call);
    // Marks the record: the command has ended. Without the mark the next holder waits, unless our lease expires. The
    // lease may have been broken meanwhile; then the mark is written if the record is still ours. False: it was broken,
    // so the lock may not have been ours until now.
    [[nodiscard]] Result<bool> say_ended(const HeldLock& held, const OwnerRecord& record, const azure::Call& call);
    // Somebody has broken the lease, and it is free now. False if nobody knows.
    [[nodiscard]] bool is_over(const HeldLock& held, const azure::Call& call);
    // To be called at the beginning of a quarantine: writes beside the former holder's record that `owner` has the
    // lease and lets this time pass. Our lease outlasts the former holder's, so if it expires, nobody has to wait once
    // more. If the write fails, the next holder may wait, and people may take the former holder for the present one.
    Status say_quarantine(HeldLock& held, const OwnerRecord& owner, std::chrono::nanoseconds time,
                          const azure::Call& call);
    // Keeps the lease during the quarantine, then acquires it again with the lock's own ttl. Tries the other slots
    // meanwhile: if one is free without a quarantine, `held` is then that one's lease, and the first one ends by
    // itself. Do not release a lease in its quarantine: the next holder could start without one. It ends by itself,
    // later than the former holder's. Error: also busy, if the call's deadline comes before the end of the quarantine.
    [[nodiscard]] Status sit_out_quarantine(HeldLock& held, const azure::Call& call);
    // Renews before a command is started. On success `held.acquired` is the time just before this renew was sent. If
    // the lease has ended before an answer came, the error is `lost`.
    [[nodiscard]] Status renew(HeldLock& held, const azure::Call& call);
    // Releases the lease. `call` must not be one whose stop was requested already.
    [[nodiscard]] Status release(const HeldLock& held, const azure::Call& call);

    [[nodiscard]] const LockName& name() const { return name_; }

  private:
    // The longest lease that azlock takes: a holder notices a break within this time at the latest.
    static constexpr std::chrono::seconds kLongestLease{60};
    static constexpr std::chrono::seconds kRenewTime{5};

    using Head = azure::BlobClient::HeadResult;
    [[nodiscard]] Result<Head> head_or_create(const azure::BlobAddress& blob, const azure::Call& call);
    [[nodiscard]] Status create(const azure::BlobAddress& blob, const azure::Call& call);
    [[nodiscard]] Result<Outcome> try_slots(bool with_quarantine, const azure::Call& call);
    [[nodiscard]] Result<Outcome> try_slot(std::uint64_t slot, const std::optional<Head>& known, bool with_quarantine,
                                           const azure::Call& call);
    [[nodiscard]] std::optional<HeldLock> find_other_slot(const azure::Call& call);
    [[nodiscard]] Result<std::optional<HeldLock>> lease(std::uint64_t slot, const Head& head, const azure::Call& call);
    [[nodiscard]] std::chrono::milliseconds quarantine_after(const Head& head) const;
    [[nodiscard]] azure::Metadata recorded(const HeldLock& held, const OwnerRecord& record) const;
    [[nodiscard]] Result<std::optional<HeldLock>> renew_unanswered(const azure::Call& call);

    azure::BlobClient& client_;
    azure::BlobClient& single_;
    LockName name_;
    LockTiming timing_;
    bool quarantine_;
    // Leased perhaps, by an acquire whose answer was lost: the next try repeats it with the same id.
    std::optional<HeldLock> unanswered_;
};

}  // namespace azlock::ops
