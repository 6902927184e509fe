#include "os/core_limit.hpp"

#include <optional>

#include <sys/resource.h>

namespace azlock::os {
namespace {

std::optional<rlimit> core_limit_at_start;
std::mutex core_limit_in_use;

void set_own_core_limit() {
    const rlimit none{0, core_limit_at_start->rlim_max};
    (void)setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

void write_no_core_files() {
    rlimit now{};
    if (core_limit_at_start || getrlimit(RLIMIT_CORE, &now) != 0) return;
    core_limit_at_start = now;
    set_own_core_limit();
}

void restore_core_limit() {
    if (core_limit_at_start) (void)setrlimit(RLIMIT_CORE, &*core_limit_at_start);
}

CoreLimitForCommand::CoreLimitForCommand() : alone_(core_limit_in_use) {
    restore_core_limit();
}

CoreLimitForCommand::~CoreLimitForCommand() {
    if (core_limit_at_start) set_own_core_limit();
}

}  // namespace azlock::os
