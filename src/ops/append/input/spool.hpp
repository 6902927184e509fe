// Batches on disk: what is read from the input survives the end of azlock, and is sent once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/file.hpp"
#include "ops/append/input/spool_format.hpp"

namespace azlock::ops {

struct SpoolOptions {
    std::string directory;                        // made if it is not there
    std::string destination;                      // of the batches; each has a file of its own
    std::uint64_t max = std::uint64_t{1} << 30U;  // bytes on disk
};

// A file below `directory`, locked for as long as this lives, and removed when nothing is left in it. One thread
// appends, one other sends.
class Spool {
  public:
    struct Place {
        std::uint64_t number = 0;
        std::uint64_t offset = 0;  // of the batch's bytes
        std::uint64_t size = 0;
        std::uint64_t lines = 0;
        std::uint64_t crc = 0;
    };
    using Say = std::function<void(const std::string&)>;

    // Errors: busy (another azlock has it), io, data (damaged: not touched). A batch at the end that was not written
    // whole, and so never sent, is left out, and `say` is told.
    [[nodiscard]] static Result<std::unique_ptr<Spool>> open(const SpoolOptions& options, const Say& say);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    // What an earlier run has left, oldest first, and how far it came with it (`sending`, `mark`).
    [[nodiscard]] const std::deque<Place>& left() const { return left_; }
    [[nodiscard]] const SpoolState& left_state() const { return left_state_; }
    // Where its first batches may have gone already; nullopt where they were never sent.
    [[nodiscard]] std::optional<AppendMark> left_mark() const {
        return left_state_.sending == 0 ? std::nullopt : std::optional(left_state_.mark);
    }

    // Error: io, with nothing changed; also where the file would exceed `max`.
    [[nodiscard]] Result<Place> append(ByteView batch, std::uint64_t lines);
    // Error: io, or data where it is not what was written.
    [[nodiscard]] Result<Bytes> read(const Place& place) const;
    // All up to batch `number` go to `mark`; on disk, with their bytes, when it returns.
    [[nodiscard]] Status sending(std::uint64_t number, const AppendMark& mark);
    // All up to batch `number` are in the blob.
    [[nodiscard]] Status settled(std::uint64_t number);

    // Of all batches that are not settled.
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

    mutable std::mutex mutex_;  // guards what follows; appending and settling exclude one another
    SpoolState state_;
    std::deque<Place> pending_;
    std::uint64_t end_ = kSpoolRecords;       // where the next record comes
    std::uint64_t freed_to_ = kSpoolRecords;  // space before it was given back to the file system
    std::uint64_t next_number_ = 1;
    std::uint64_t pending_bytes_ = 0;
};

}  // namespace azlock::ops
