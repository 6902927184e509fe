#include "ops/lock/left_running.hpp"

#include "os/process_tree.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kMostNamed = 5;

}  // namespace

std::string name_left_running(pid_t guard) {
    std::string out;
    std::size_t count = 0;
    for (const os::ProcessInfo& info : os::descendants_of(guard)) {
        if (++count > kMostNamed) continue;
        out += (out.empty() ? "" : ", ") + os::process_name(info.pid) + " (" + std::to_string(info.pid) + ")";
    }
    if (count > kMostNamed) out += " and " + std::to_string(count - kMostNamed) + " more";
    return out;
}

}  // namespace azlock::ops
