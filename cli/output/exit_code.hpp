// The one table from errors to exit codes (docs/exit-codes.md).
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace azlock::cli {

inline constexpr int kExitUsage = 64;
inline constexpr int kExitBug = 70;
inline constexpr int kExitUntold = 76;        // the change is made, but its result could not be printed
inline constexpr int kExitLost = 122;         // a lease or lock was lost while it was needed
inline constexpr int kExitSomeFailed = 123;   // queue work: some tasks became dead letters or were refused
inline constexpr int kExitCannotStart = 125;  // a command that azlock should run; see os/exit_status.hpp

// `signal` is the number of the signal that stopped us, 0 if none did.
[[nodiscard]] int exit_code(const Error& error, int signal);

// "69", "128+N", and what it means, for --help.
struct ExitCode {
    std::string_view code;
    std::string_view meaning;
};

// Those that a command can end with ("lease acquire"); empty: those of any command.
[[nodiscard]] std::vector<ExitCode> exit_codes_of(std::string_view command);

}  // namespace azlock::cli
