// Sends one batch so that it is in the blob once, and finds out where it is when the answer is lost (design 6.5).
#pragma once

#include <optional>
#include <string>

#include "ops/append/batch.hpp"
#include "ops/append/outage_retry.hpp"
#include "ops/append/target.hpp"
#include "ops/append/turn.hpp"

namespace azlock::ops {

// What tells our bytes from other people's.
enum class AppendGuard {
    turns,      // a lease of ours, given back in between
    exclusive,  // a lease of ours throughout
    given,      // the user's lease
    none,       // position and comparison: equal bytes of another writer would be taken for ours
};

struct SendOptions {
    AppendGuard guard = AppendGuard::turns;
    std::string lease_id;  // of AppendGuard::given
    std::string if_match;  // until the first append has been done
    std::optional<std::uint64_t> max_size;
    std::optional<std::chrono::nanoseconds> wait;  // for another's lease, with AppendGuard::none; not given: forever
    // Each append is on the version that the state is of (a fenced blob: nobody has written since the token was read).
    bool chain = false;
    // Where the lease that would tell is over, equal bytes in the right place count as ours. Else they prove nothing.
    bool equal_is_ours = false;
};

enum class Sent {
    done,        // the state is the one after it
    moved,       // not sent, somebody else has written: the state is as looked at
    lease_lost,  // not sent, and the turn is over
    full,        // not sent: size or number of blocks
    sealed,      // not sent
    missing,     // there is no blob (any more)
};

// For one thread.
class AppendSender {
  public:
    AppendSender(azure::BlobClient& client, Persistence& persistence, AppendTurn& turn, SendOptions options);

    // The source's next batch at state.length. Every outcome but an error leaves no doubt where the batch is. An error
    // with may_have_applied: it may be there.
    [[nodiscard]] Result<Sent> send(const azure::BlobAddress& blob, AppendState& state, BatchSource& source);
    // Whether the batch was carried out as an earlier run of azlock noted before it sent it. Errors as with send().
    [[nodiscard]] Result<bool> was_sent(const AppendMark& mark, const azure::BlobAddress& blob,
                                        const AppendBatch& batch);
    // Requests whose answer was lost and whose bytes were found in the blob.
    [[nodiscard]] std::uint64_t duplicates_avoided() const { return duplicates_avoided_; }
    // Of the lease under which a write is sent now; empty without one.
    [[nodiscard]] const std::string& lease_id() const;

  private:
    // never: it was not carried out and cannot be any more. moved: the same, and the state is as looked at.
    enum class Fate { landed, not_yet, never, moved, gone };
    struct Sending;

    [[nodiscard]] Result<azure::AppendResult> attempt(const Sending& sending);
    [[nodiscard]] Result<Fate> settle(const Sending& sending, const Error& failure);
    [[nodiscard]] Result<Fate> settle_by_lease(const Sending& sending, const std::string& lease_id,
                                               const Error& failure);
    [[nodiscard]] Result<Fate> settle_without_lease(const Sending& sending, const Error& failure);
    [[nodiscard]] Result<Fate> settle_by_content(const Sending& sending, const Error& failure);
    [[nodiscard]] Fate as_before(const Sending& sending, AppendState seen) const;
    [[nodiscard]] Result<Fate> compare(const Sending& sending, AppendState seen);
    [[nodiscard]] Result<std::optional<Sent>> after_refusal(Sending& sending, const Error& error);
    [[nodiscard]] Result<Sent> look_again(const Sending& sending, const Error& error);
    [[nodiscard]] Result<AppendState> look(const Sending& sending, const std::string& lease_id);

    azure::BlobClient& client_;
    Persistence& persistence_;
    AppendTurn& turn_;
    SendOptions options_;
    azure::Checksum::Kind checksum_kind_;
    bool first_ = true;
    std::uint64_t duplicates_avoided_ = 0;
};

}  // namespace azlock::ops
