#include "ops/cas/pauses.hpp"

#include <algorithm>
#include <cstdint>

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds kFirstLook = milliseconds(50);
constexpr nanoseconds kUsualLook = milliseconds(500);
constexpr nanoseconds kLateLook = milliseconds(200);
constexpr double kLate = 10;  // seconds
constexpr nanoseconds kLeastRoom = milliseconds(100);
constexpr nanoseconds kMostRoom = milliseconds(1'000);

}  // namespace

nanoseconds between_looks(nanoseconds waited) {
    const nanoseconds usual = std::clamp(waited / 4, kFirstLook, kUsualLook);
    const double age = std::chrono::duration<double>(waited).count() / kLate;
    if (age <= 1) return usual;
    return std::max(kLateLook, nanoseconds(static_cast<std::int64_t>(static_cast<double>(usual.count()) / age)));
}

nanoseconds room_for_others(nanoseconds last_try) {
    return std::clamp(last_try, kLeastRoom, kMostRoom);
}

}  // namespace azlock::ops
