// What a command has done so far: its threads count, and the progress display reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace azlock::ops {

// Thread-safe. What is added is also added to the same count of the whole.
class Count {
  public:
    explicit Count(Count* whole = nullptr) : whole_(whole) {}
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;

    Count& operator+=(std::uint64_t more) {
        value_ += more;
        if (whole_ != nullptr) *whole_ += more;
        return *this;
    }
    Count& operator-=(std::uint64_t less) {
        value_ -= less;
        if (whole_ != nullptr) *whole_ -= less;
        return *this;
    }
    Count& operator++() { return *this += 1; }
    // Of this count alone.
    Count& operator=(std::uint64_t value) {
        value_ = value;
        return *this;
    }
    operator std::uint64_t() const { return value_; }  // NOLINT(google-explicit-constructor)

  private:
    std::atomic<std::uint64_t> value_{0};
    Count* whole_;
};

// Thread-safe, except `name` and `unit`, which are set before the display begins. All values are bytes, if the name
// says nothing else. All values only grow, except `moving`, and in a download that starts again `sent`.
struct Progress {
    Progress() = default;
    // A part of the whole, which counts all that the part counts.
    explicit Progress(Progress& whole)
        : sent(&whole.sent),
          reused(&whole.reused),
          reused_blocks(&whole.reused_blocks),
          moving(&whole.moving),
          compared(&whole.compared),
          retries(&whole.retries) {}

    std::string name;            // of the one file
    const char* unit = nullptr;  // what `items` counts, such as "blob"; null: nothing
    Count total;                 // to be there at the end, as far as azlock knows
    Count sent;                  // done: acknowledged by the service; by a download written, by a comparison read
    Count reused;                // bytes of the source that the service already had
    Count reused_blocks;
    Count moving;    // on their way, and not done yet
    Count compared;  // read to find out whether anything must be sent at all
    Count files;
    Count files_done;  // with failed ones
    Count items;
    Count retries;  // those that the client does not make itself

    [[nodiscard]] std::uint64_t done() const {
        const std::uint64_t out = sent + reused + moving;
        return out > 0 ? out : compared;
    }

    struct Part {
        std::string name;
        std::uint64_t total = 0;
        std::uint64_t done = 0;
    };
    // The first `most` of the files that are under way, in the order in which they began.
    [[nodiscard]] std::vector<Part> parts(std::size_t most) const {
        std::vector<Part> out;
        const std::lock_guard lock(mutex_);
        for (const Progress* part : parts_) {
            if (out.size() == most) break;
            out.push_back({part->name, part->total, part->done()});
        }
        return out;
    }

  private:
    friend class PartProgress;
    mutable std::mutex mutex_;
    std::list<const Progress*> parts_;
};

// One of several files, as long as it is under way.
class PartProgress {
  public:
    PartProgress(Progress& whole, std::string name, std::uint64_t total) : whole_(whole), own_(whole) {
        own_.name = std::move(name);
        own_.total = total;
        const std::lock_guard lock(whole_.mutex_);
        place_ = whole_.parts_.insert(whole_.parts_.end(), &own_);
    }
    ~PartProgress() {
        const std::lock_guard lock(whole_.mutex_);
        whole_.parts_.erase(place_);
    }
    PartProgress(const PartProgress&) = delete;
    PartProgress& operator=(const PartProgress&) = delete;

    [[nodiscard]] Progress& counts() { return own_; }

  private:
    Progress& whole_;
    Progress own_;
    std::list<const Progress*>::iterator place_;
};

}  // namespace azlock::ops
