// Sends a batch exactly once: if an answer is lost, finds out whether the batch is in the blob (docs/append.md).
#pragma once

#include "ops/append/batch.hpp"
#include "ops/append/target.hpp"
#include "ops/append/turn.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/write/fence.hpp"

namespace azlock::ops {

// How azlock tells its own bytes from those of other writers.
enum class AppendLease {
    turns,      // by a lease of our own, released between turns
    exclusive,  // by a lease of our own, held all the time
    given,      // by the user's lease (--lease-id)
    none,       // by position and content only: equal bytes of another writer count as ours
};

struct SendOptions {
    AppendLease lease = AppendLease::turns;
    std::string lease_id;  // with AppendLease::given
    std::string if_match;  // condition until the first append has succeeded
    std::optional<std::uint64_t> max_size;
    std::optional<std::chrono::nanoseconds> wait;  // for another's lease, with AppendLease::none; nullopt: forever
    // Each append is refused once a later token has been used. So each one needs the ETag of the state: nobody may
    // write between our reading of the token and our append.
    std::optional<Fence> fence;
    // If the lease of an attempt has ended, equal bytes at the right position count as ours. Else they prove nothing.
    bool equal_is_ours = false;
    Progress* progress = nullptr;  // or null
};

enum class Sent {
    done,        // the state is the one after the append
    moved,       // not appended, because somebody else has written; the state is newly read
    lease_lost,  // not appended, and the turn is over
    full,        // not appended: the blob has its largest size or number of blocks
    sealed,      // not appended: the blob is sealed
    missing,     // not appended: the blob does not exist (any more)
};

// For one thread.
class AppendSender {
  public:
    AppendSender(azure::BlobClient& client, OutageRetry& retry, AppendTurn& turn, SendOptions options);

    // Appends the source's next batch at state.length. After every outcome except an error it is certain whether the
    // batch is in the blob. Error with may_have_applied: the batch may be in the blob.
    [[nodiscard]] Result<Sent> send(const azure::BlobAddress& blob, AppendState& state, BatchSource& source);
    // Returns whether the batch is at the place that an earlier run of azlock noted before it sent it. Errors: as
    // send().
    [[nodiscard]] Result<bool> was_sent(const AppendMark& mark, const azure::BlobAddress& blob,
                                        const AppendBatch& batch);
    // Requests whose answer was lost and whose bytes were found in the blob.
    [[nodiscard]] std::uint64_t duplicates_avoided() const { return duplicates_avoided_; }
    // Id of the lease under which a write is sent now; empty without a lease.
    [[nodiscard]] std::string lease_id() const;
    // The version that a write needs now; empty: any.
    [[nodiscard]] std::string if_match(const AppendState& state) const;
    // The condition on the first write has been met.
    [[nodiscard]] bool has_written() const { return !first_; }
    void note_write() { first_ = false; }

  private:
    // One batch that is being sent.
    struct Sending {
        const azure::BlobAddress& blob;
        AppendState& state;  // the state before the first attempt
        std::shared_ptr<const http::Body> body;
        azure::Checksum checksum;
        bool uncertain = false;  // an attempt was perhaps carried out, or may still be
        OutageRetry::Failing failing = {};
        int damaged = 0;
        int odd = 0;
        std::optional<BootTime> kept_out_since = {};

        [[nodiscard]] std::uint64_t size() const { return body->size(); }
        [[nodiscard]] std::uint64_t end() const { return state.length + body->size(); }
    };
    // How the sending ended; nullopt: not yet, so the batch can be sent again.
    using Outcome = Result<std::optional<Sent>>;

    [[nodiscard]] Result<azure::AppendResult> attempt(const Sending& sending);
    [[nodiscard]] Outcome after_refusal(Sending& sending, const Error& error);

    // sender_lost.cpp: what became of an attempt whose answer was lost.
    [[nodiscard]] Outcome resolve(const Sending& sending, const Error& failure);
    [[nodiscard]] Outcome resolve_by_lease(const Sending& sending, const std::string& lease_id, const Error& failure);
    [[nodiscard]] Outcome resolve_without_lease(const Sending& sending, const Error& failure);
    [[nodiscard]] Outcome resolve_by_content(const Sending& sending, const Error& failure);
    [[nodiscard]] std::optional<Sent> as_before(const Sending& sending, AppendState seen) const;
    [[nodiscard]] Outcome compare(const Sending& sending, AppendState seen);
    [[nodiscard]] Result<AppendState> look(const Sending& sending, const std::string& lease_id);
    [[nodiscard]] static std::shared_ptr<const http::Body> body_of(const AppendBatch& batch);
    [[nodiscard]] static tl::unexpected<Error> unknown(const Sending& sending, Error error, const std::string& why);

    azure::BlobClient& client_;
    OutageRetry& retry_;
    AppendTurn& turn_;
    SendOptions options_;
    azure::Checksum::Kind checksum_kind_;
    bool first_ = true;
    std::uint64_t duplicates_avoided_ = 0;
};

}  // namespace azlock::ops
