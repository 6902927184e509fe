// What a transfer has done so far, counted by its threads and read by whoever shows it.
#pragma once

#include <atomic>
#include <cstdint>

namespace azlock::ops {

// Thread-safe. All in bytes but the file counts; each only grows, but `moving`.
struct Progress {
    std::atomic<std::uint64_t> total{0};   // to be there at the end, as far as it is known
    std::atomic<std::uint64_t> sent{0};    // acknowledged by the service
    std::atomic<std::uint64_t> reused{0};  // of the source, found at the service
    std::atomic<std::uint64_t> moving{0};  // handed to connections and not acknowledged yet
    std::atomic<std::uint64_t> files{0};
    std::atomic<std::uint64_t> files_done{0};  // failed ones included
};

}  // namespace azlock::ops
