// Durations and sizes as people write and read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock {

// "90" (seconds), "1.5s", "250ms", "1m30s", "2h", "1d": numbers with the units d h m s ms. The largest unit comes
// first, each unit at most once. Exact to the millisecond and rounded up, so that a duration above 0 never becomes 0.
// At most 36,500 days, which fits the nanoseconds of a Clock. Anything else is ErrorCode::usage.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// "8388608" (bytes), "8M" and "8MiB" (2^20), "8MB" (10^6), "1.5G". The units are K M G T P E, in upper or lower case.
// Rounded down to whole bytes. Anything else is ErrorCode::usage.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);

// "512 B", "8 MiB", "1.5 GiB": rounded to one decimal, which is left out if it is 0.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

// "250 ms", "1.5 s", "42 s", "1 min 30 s", "2 h 5 min", "1 d 3 h": the two largest units, rounded.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds span);

// "1 block", "2 blocks". `many`: a plural that is not made with "s", such as "tries".
[[nodiscard]] std::string format_count(std::uint64_t count, std::string_view one, std::string_view many = {});

}  // namespace azlock
