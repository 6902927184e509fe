// The subcommands of `azlock lease`, one file each, and what they share.
#pragma once

#include <optional>
#include <string>

#include "cli/program/command.hpp"

namespace azlock::cli {

void register_lease_acquire(CLI::App& group, Commands& commands);
void register_lease_hold(CLI::App& group, Commands& commands);  // renew, change, release
void register_lease_keep(CLI::App& group, Commands& commands);
void register_lease_break(CLI::App& group, Commands& commands);
void register_lease_show(CLI::App& group, Commands& commands);
void register_lease_list(CLI::App& group, Commands& commands);

// TARGET: a blob, or a container where it names none. Error (usage): a snapshot.
CLI::Option* add_lease_target(CLI::App& command, std::string& target);
[[nodiscard]] Result<Opened> open_leasable(Context& context, const std::string& target);

// The holder's id: --lease-id or AZLOCK_LEASE_ID.
void add_holder_id(CLI::App& command, std::string& lease_id);
// In the service's spelling. Error (usage): neither was given, or it is no GUID.
[[nodiscard]] Result<std::string> read_holder_id(const std::string& lease_id);
// The same of another flag's value.
[[nodiscard]] Result<std::string> read_lease_id(const char* flag, const std::string& lease_id);

// "60", "60s", "1m", and with `infinite` that word (ops::kInfiniteLease). Error: usage.
[[nodiscard]] Result<int> read_lease_duration(const std::string& text, bool infinite);

}  // namespace azlock::cli
