// What a transfer has done so far: its threads count, and the progress display reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace azlock::ops {

// Thread-safe. All values are bytes, except the file counts. All values only grow, except `moving`.
struct Progress {
    std::atomic<std::uint64_t> total{0};   // to be there at the end, as far as azlock knows
    std::atomic<std::uint64_t> sent{0};    // acknowledged by the service
    std::atomic<std::uint64_t> reused{0};  // bytes of the source that the service already had
    std::atomic<std::uint64_t> moving{0};  // handed to connections and not acknowledged yet
    std::atomic<std::uint64_t> files{0};
    std::atomic<std::uint64_t> files_done{0};  // with failed ones
};

}  // namespace azlock::ops
