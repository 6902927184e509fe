// What the user hears of an outage: the time in which the service cannot be reached while a command goes on trying.
#pragma once

#include <chrono>
#include <functional>

#include "base/error.hpp"

namespace azlock::ops {

// A shorter outage is not told of.
inline constexpr std::chrono::seconds kTellOutageAfter{2};

// Each is called once for an outage: `began` when it has lasted for kTellOutageAfter, `ended` when the service answers.
struct OutageTold {
    std::function<void(const Error& why)> began = [](const Error&) {};
    std::function<void(std::chrono::nanoseconds lasted)> ended = [](std::chrono::nanoseconds) {};
};

}  // namespace azlock::ops
