#include "os/started.hpp"

#include <atomic>

namespace azlock::os {
namespace {

std::atomic<bool> started{false};
std::atomic<bool> within_a_line{false};

}  // namespace

void note_command_started() noexcept {
    started = true;
}

bool command_was_started() noexcept {
    return started;
}

void note_passed_on(bool ended) noexcept {
    within_a_line = !ended;
}

bool passed_on_part_of_a_line() noexcept {
    return within_a_line;
}

}  // namespace azlock::os
