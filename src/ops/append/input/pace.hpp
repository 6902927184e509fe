// How many bytes are gathered for one block of an append blob, so that its 50,000 blocks last for weeks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace azlock::ops {

struct AppendPace {
    std::uint64_t batch_size = std::uint64_t{1} << 20U;                 // bytes; a batch of this size is sent at once
    std::chrono::nanoseconds flush_interval = std::chrono::seconds(1);  // nothing waits longer than this
    // If no input comes for this time, the waiting bytes are sent.
    [[nodiscard]] std::chrono::nanoseconds pause() const { return flush_interval / 5; }
};

// The pace for a blob that has so many blocks. Every 10,000 blocks double the size, up to `largest`, and multiply the
// interval by four. At one line a second, 50,000 blocks then last for more than a month.
[[nodiscard]] inline AppendPace pace_after(const AppendPace& first, std::uint64_t blocks, std::uint64_t largest) {
    AppendPace pace = first;
    for (std::uint64_t step = std::min<std::uint64_t>(blocks / 10'000, 4); step > 0; --step) {
        pace.batch_size = std::max(first.batch_size, std::min(pace.batch_size * 2, largest));
        pace.flush_interval *= 4;
    }
    return pace;
}

}  // namespace azlock::ops
