// The state of a lock and its command so far, for whoever watches from outside (--status-file).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace azlock::ops {

struct LockStatus {
    std::string outcome = "waiting";  // waiting held ran busy lost timeout not_started signalled error
    std::string name;
    std::string url;
    std::uint64_t slot = 0;
    std::optional<std::uint64_t> fence;
    std::optional<int> pid;
    std::optional<int> wait_status;
    std::chrono::milliseconds waited{0};
    std::optional<std::chrono::milliseconds> held;
    std::string reason;
};

}  // namespace azlock::ops
