#include "os/started.hpp"

#include <atomic>

namespace azlock::os {
namespace {

std::atomic<bool> started{false};

}  // namespace

void note_command_started() noexcept {
    started = true;
}

bool command_was_started() noexcept {
    return started;
}

}  // namespace azlock::os
