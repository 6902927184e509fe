// The lease of a session: carries out what LockRules decides, with the network and the guard.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/lock/helper_threads.hpp"
#include "ops/lock/lock_rules.hpp"
#include "os/event_fds.hpp"
#include "os/guard.hpp"
#include "os/process_tree.hpp"

namespace azlock::ops {

// What the session does for its lease.
struct LeaseEvents {
    std::function<void(const std::string& why, BootTime kill_at)> lost;  // ends the command
    std::function<void()> thawed;                                        // the command runs again after a check
    std::function<void(std::string text)> tell;
    std::function<void(BootTime term_at)> on_term_point;       // the TERM point has moved
    std::function<Status(const azure::Call&)> rewrite_record;  // called on another thread
};

// Makes its threads at once, before there is a command. Throws std::system_error if the system gives none. Later it
// lets exceptions through if no memory is left; what they interrupt counts as a request that is not answered. Belongs
// to the thread that empties the mailbox. All references must outlive this. `held` is null if there is no lease to
// keep: then nothing is ever due, checked or lost.
class SessionLease {
  public:
    SessionLease(os::Guard& guard, azure::BlobClient& single, const HeldLease* held, const LockTiming& timing,
                 os::Mailbox& mailbox, LeaseEvents events);

    void on_time();
    void on_guard_late();
    // A new renew must prove the lease. False: there is no lease to check.
    bool check(const std::string& why);
    // Lets the processes run that this has frozen itself.
    void thaw() { freezer_.thaw(guard_.pid()); }

    [[nodiscard]] BootTime next() const { return rules_ ? rules_->next() : kNoDeadline; }
    [[nodiscard]] BootTime term_at() const { return rules_ ? rules_->term_at() : kNoDeadline; }
    [[nodiscard]] BootTime kill_at() const;
    [[nodiscard]] os::EndPoints points() const;
    [[nodiscard]] bool lost() const { return rules_ && rules_->lost(); }
    [[nodiscard]] bool kept() const { return rules_ && !rules_->lost(); }
    // Nothing of the command may run now.
    [[nodiscard]] bool frozen() const { return rules_ && rules_->frozen(); }

  private:
    // Two renews, the next one, a look or the record: more than are ever under way if each ends in its time.
    static constexpr std::size_t kThreads = 4;

    void act(const LockActions& actions);
    void carry_out(const LockAction& action);
    template <typename Send>
    void ask(BootTime until, Send send);

    os::Guard& guard_;
    azure::BlobClient& single_;
    Clock& clock_;
    const HeldLease* held_;
    LockTiming timing_;
    os::Mailbox& mailbox_;
    LeaseEvents events_;
    std::optional<LockRules> rules_;
    os::Freezer freezer_;
    HelperThreads threads_{kThreads};  // last, so that it is destroyed first: its threads use the others
};

// An order whose result does not matter: a guard that does not get it acts on its own timer.
void send_order(os::Guard& guard, os::Order::Kind kind, const os::EndPoints& points, int number = 0);
// The guard's points for an order that ends at `kill_at`, and has no TERM point.
[[nodiscard]] os::EndPoints kill_point(BootTime kill_at);

}  // namespace azlock::ops
