// Appends what a source gives to an append blob, each batch once: turns, continuations, sealing (design 6.5).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ops/append/batch.hpp"
#include "ops/append/sender.hpp"
#include "ops/write/fence.hpp"

namespace azlock::ops {

struct AppenderOptions {
    SendOptions send;
    bool create = true;
    std::string content_type;  // of a blob that is made here
    bool rotate = false;
    bool seal = false;           // at the end
    std::optional<Fence> fence;  // each append is refused once a later token has been used
    TurnOptions turn;
    PersistenceOptions persistence;
    std::function<void(const azure::BlobAddress& next)> rotated;
    // What the source's pending_mark() will be: an exclusive lease of that run is gone on with, as no other one would
    // tell whether the batch is in the blob.
    std::optional<AppendMark> earlier;
};

struct AppendReport {
    azure::BlobAddress blob;  // the last one that was appended to
    std::string etag;
    std::optional<std::uint64_t> first_offset;  // of the first byte, in the blob that got it
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
    std::uint64_t blocks = 0;
    std::uint64_t rotations = 0;
    std::uint64_t turns = 0;
    std::uint64_t retries = 0;
    std::uint64_t duplicates_avoided = 0;
    bool sealed = false;
};

// For one thread. The client makes one attempt a call.
class Appender {
  public:
    // Nothing begins after the call's deadline or once its stop is requested: whoever wants to have the rest sent after
    // a signal requests it later.
    Appender(azure::BlobClient& client, azure::BlobAddress blob, AppenderOptions options, const azure::Call& call);

    // Finds or makes the blob, so that it is known early that nothing can be appended; with AppendGuard::exclusive
    // takes the lease.
    [[nodiscard]] Status open();
    // After open(), with AppendGuard::exclusive or given: how much of the source is in the blob already. Where the blob
    // tells of no such source, it is noted that it begins at the blob's end. `name` says which source it is. Error
    // (data): what is there is not how this source begins; the lease is then given back.
    [[nodiscard]] Result<std::uint64_t> resume(const http::Body& source, const std::string& name);
    // After open(): until the source has ended. Gives the lease back in any case.
    [[nodiscard]] Status run(BatchSource& source);

    [[nodiscard]] AppendReport report() const;

  private:
    [[nodiscard]] bool leases() const;
    [[nodiscard]] bool keeps_lease() const { return options_.send.guard == AppendGuard::exclusive; }
    [[nodiscard]] Status find();
    [[nodiscard]] Status make_first();
    [[nodiscard]] Status make();
    [[nodiscard]] Status look();
    [[nodiscard]] Status take_turn();
    [[nodiscard]] Status raise_fence();
    [[nodiscard]] Status next_part(bool seal_this);
    [[nodiscard]] Status seal();
    [[nodiscard]] Status run_to_end(BatchSource& source);
    [[nodiscard]] Status idle();
    [[nodiscard]] Status send(BatchSource& source);
    [[nodiscard]] Status after(Sent sent);
    [[nodiscard]] Deadline next_duty() const;
    [[nodiscard]] Result<std::uint64_t> find_source(const http::Body& source, const std::string& name);
    void end_turn();

    azure::BlobClient& client_;
    Clock& clock_;
    azure::BlobAddress first_;
    AppenderOptions options_;
    Persistence persistence_;
    AppendTurn turn_;
    AppendSender sender_;
    azure::BlobAddress blob_;
    std::uint64_t part_ = 0;
    AppendState state_;
    bool known_ = false;  // state_ is the blob's, unless somebody has written since
    BootTime idle_since_;
    std::string lost_etag_;  // the state when an exclusive lease was lost
    AppendReport report_;
};

}  // namespace azlock::ops
