// Flags that mean the same in every command, and functions that read their values.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "cli/program/parser.hpp"
#include "cli/settings/settings.hpp"

namespace azlock::cli {

void add_global_flags(Parser& app, GlobalFlags& flags);

// --if-match, --if-none-match, --if-modified-since, --if-unmodified-since, --lease-id
struct ConditionFlags {
    azure::Conditions values;  // dates still as the user wrote them
};
void add_condition_flags(Parser& command, ConditionFlags& flags);
void add_lease_id_flag(Parser& command, std::string& lease_id);
// Converts dates to the service's form; accepts RFC 1123 and ISO 8601. Error: usage.
[[nodiscard]] Result<azure::Conditions> read_conditions(const ConditionFlags& flags);
// Duration and size options; a bad value is the parser's usage error.
Option* add_duration(Parser& app, const std::string& names, std::optional<std::chrono::milliseconds>& out,
                     const std::string& help);
// The same for one that has a default.
Option* add_duration(Parser& app, const std::string& names, std::chrono::milliseconds& out, const std::string& help);
// A point in time in the same forms.
Option* add_time(Parser& app, const std::string& names, std::optional<WallTime>& out, const std::string& help);
Option* add_size(Parser& app, const std::string& names, std::optional<std::uint64_t>& out, const std::string& help);
Option* add_size(Parser& app, const std::string& names, std::uint64_t& out, const std::string& help);

}  // namespace azlock::cli
