// Flags and arguments that the subcommands of `azlock lease` share.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

// TARGET: a blob, or a container if it names no blob. Error (usage): a snapshot.
Option* add_lease_target(Parser& command, std::string& target);
[[nodiscard]] Result<Opened> open_leasable(Context& context, const std::string& target);
// The same for a command that also knows the names of locks.
struct LeaseTarget {
    std::string text;
    bool lock = false;
    std::string container = "locks";         // of the locks
    std::optional<std::uint64_t> slot = {};  // of the lock
};
Option* add_lease_target(Parser& command, LeaseTarget& target);  // --lock, --slot
[[nodiscard]] Result<Opened> open_leasable(Context& context, const LeaseTarget& target);
// The error with a hint, if there is nothing of that name.
[[nodiscard]] Error not_a_lock(const LeaseTarget& target, Error error);

// --expect: for ops::concern_of().
Option* add_expected_flag(Parser& command, std::chrono::milliseconds& expected);

// The holder's id: --lease-id or AZLOCK_LEASE_ID.
void add_holder_id(Parser& command, std::string& lease_id);
// In the service's spelling. Error (usage): neither was given, or it is not a GUID.
[[nodiscard]] Result<std::string> read_holder_id(const std::string& lease_id);
// The same for the value of another flag.
[[nodiscard]] Result<std::string> read_lease_id(const char* flag, const std::string& lease_id);

// In seconds, from "60", "60s" or "1m", or "infinite" (ops::kInfiniteLease). Error: usage.
[[nodiscard]] Result<int> read_lease_duration(const std::string& text);
// In seconds, 0 to 60; nullopt for "auto". Error: usage.
[[nodiscard]] Result<std::optional<int>> read_break_period(const std::string& text);

}  // namespace azlock::cli
