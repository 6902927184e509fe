// Keeps batches on disk, so that input survives the end of azlock and is sent exactly once.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/file.hpp"
#include "ops/append/input/spool_format.hpp"

namespace azlock::ops {

struct SpoolOptions {
    std::string directory;                        // created if it does not exist
    std::string destination;                      // of the batches; each destination has its own file
    std::uint64_t max = std::uint64_t{1} << 30U;  // bytes on disk
};

// A file in `directory`. It is locked as long as this object lives, and removed if no batch is left in it. One thread
// appends, another one sends.
class Spool {
  public:
    using Place = SpoolRecord;
    using Say = std::function<void(const std::string&)>;

    // Errors: busy (another azlock uses it), io (also if the file is a link or belongs to another user), data (damaged;
    // the file is not changed). An incomplete batch at the end was never sent: it is left out, and `say` reports it.
    [[nodiscard]] static Result<std::unique_ptr<Spool>> open(const SpoolOptions& options, const Say& say);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    // The batches that an earlier run left, oldest first, and how far that run came (`sending`, `mark`).
    [[nodiscard]] const std::deque<Place>& left() const { return left_; }
    [[nodiscard]] const SpoolState& left_state() const { return left_state_; }
    // The place to which the first batches may have been sent; nullopt if they were never sent.
    [[nodiscard]] std::optional<AppendMark> left_mark() const {
        return left_state_.sending == 0 ? std::nullopt : std::optional(left_state_.mark);
    }

    // Error: io, also if the file would become larger than `max`. Nothing is changed then.
    [[nodiscard]] Result<Place> append(ByteView batch, std::uint64_t lines);
    // Errors: io; data if the bytes are not those that were written.
    [[nodiscard]] Result<Bytes> read(const Place& place) const;
    // Notes that all batches up to `number` are about to go to `mark`. After it, the note and the batches are on disk.
    [[nodiscard]] Status sending(std::uint64_t number, const AppendMark& mark);
    // Notes that all batches up to `number` are in the blob.
    [[nodiscard]] Status confirmed(std::uint64_t number);

    // Bytes of all batches that are not confirmed.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    Spool(Fd fd, std::string path, std::uint64_t max) : fd_(std::move(fd)), path_(std::move(path)), max_(max) {}
    [[nodiscard]] Status begin(const std::string& destination);
    [[nodiscard]] Status load(const std::string& destination, const Say& say);
    [[nodiscard]] Status scan(std::uint64_t end, const Say& say);
    [[nodiscard]] Status write_state();
    void reclaim();
    [[nodiscard]] Error damaged(const std::string& what) const;

    Fd fd_;
    std::string path_;
    std::uint64_t max_;
    std::deque<Place> left_;
    SpoolState left_state_;

    mutable std::mutex mutex_;  // protects the members below; appending and confirming exclude each other
    SpoolState state_;
    std::deque<Place> pending_;
    std::uint64_t end_ = kSpoolRecords;       // where the next record will be written
    std::uint64_t freed_to_ = kSpoolRecords;  // space before it was given back to the file system
    std::uint64_t next_number_ = 1;
    std::uint64_t pending_bytes_ = 0;
};

}  // namespace azlock::ops
