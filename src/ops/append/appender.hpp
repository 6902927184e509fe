// Appends the batches of a source to an append blob, each exactly once: turns, rotation, sealing (docs/append.md).
#pragma once

#include "ops/append/sender.hpp"

namespace azlock::ops {

struct AppenderOptions {
    SendOptions send;
    bool create = true;
    std::string content_type;  // of a blob that azlock creates
    bool rotate = false;
    bool seal = false;  // at the end
    TurnOptions turn;
    OutageRetryOptions retry;
    std::function<void(const azure::BlobAddress& next)> rotated;
    // The value that the source's pending_mark() will have. An exclusive lease of that run is continued, because only
    // that lease proves whether the batch is in the blob.
    std::optional<AppendMark> earlier;
    // What else the run does needs to read the blob. Otherwise, and without fence, rotation and seal, a credential that
    // may only write is enough; then `unseen` is called once.
    bool must_look = false;
    std::function<void()> unseen;
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

// For one thread. The client must make one attempt per call.
class Appender {
  public:
    // Nothing new begins after the call's deadline or after its stop. A caller that wants to send the rest after a
    // signal must request the stop later.
    Appender(azure::BlobClient& client, azure::BlobAddress blob, AppenderOptions options, const azure::Call& call);

    // Finds or creates the blob, so that it is known early if nothing can be appended. With AppendLease::exclusive it
    // also takes the lease. After any error the lease is released.
    [[nodiscard]] Status open();
    // To be called after open(), with AppendLease::exclusive or given. Returns how many bytes of the source are already
    // in the blob. `name` identifies the source. If the blob has no note about it, writes the note that the source
    // begins at the blob's end. Error (data): the blob's bytes are not the beginning of the source. After any error the
    // lease is released.
    [[nodiscard]] Result<std::uint64_t> resume(const http::Body& source, const std::string& name);
    // To be called after open(). Appends until the source has ended. Always releases our own lease at the end.
    [[nodiscard]] Status run(BatchSource& source);

    [[nodiscard]] AppendReport report() const;

  private:
    [[nodiscard]] bool leases() const;
    [[nodiscard]] bool keeps_lease() const { return options_.send.lease == AppendLease::exclusive; }
    [[nodiscard]] tl::unexpected<Error> refuse(Error error) const;
    [[nodiscard]] Status take_turn();
    [[nodiscard]] Status run_to_end(BatchSource& source);
    [[nodiscard]] Status idle();
    [[nodiscard]] Status send(BatchSource& source);
    [[nodiscard]] Status after(Sent sent);
    [[nodiscard]] Deadline next_duty() const;
    void end_turn();

    // appender_blob.cpp
    [[nodiscard]] Status open_blob();
    [[nodiscard]] Status find();
    [[nodiscard]] Status make_first();
    [[nodiscard]] Status make();
    [[nodiscard]] Status look();
    [[nodiscard]] bool must_look() const;
    [[nodiscard]] Status make_unseen();
    [[nodiscard]] Status check_version() const;
    [[nodiscard]] Status check_unwritten();
    [[nodiscard]] Status raise_fence();
    [[nodiscard]] Status next_part(bool seal_this);
    [[nodiscard]] Status seal();
    // resume.cpp
    [[nodiscard]] Result<std::uint64_t> find_source(const http::Body& source, const std::string& name);

    azure::BlobClient& client_;
    Clock& clock_;
    azure::BlobAddress first_;
    AppenderOptions options_;
    OutageRetry retry_;
    AppendTurn turn_;
    AppendSender sender_;
    azure::BlobAddress blob_;
    std::uint64_t part_ = 0;
    AppendState state_;
    bool unseen_ = false;  // the credential may not read: state_ holds what the answers to appends have told
    int made_ = 0;         // how often the blob was created since it was last seen
    bool known_ = false;   // state_ was read from the blob; it is true unless somebody has written since
    BootTime idle_since_;
    std::string expected_;   // with a fence: the version that the first write must find; empty: any
    std::string lost_etag_;  // the blob's ETag when an exclusive lease was lost
    AppendReport report_;
};

}  // namespace azlock::ops
