// Flags that mean the same in every command, and readers of their values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "azure/types.hpp"
#include "cli/settings/settings.hpp"

namespace azlock::cli {

void add_global_flags(CLI::App& app, GlobalFlags& flags);

// --if-match, --if-none-match, --if-modified-since, --if-unmodified-since, --lease-id
struct ConditionFlags {
    azure::Conditions values;  // dates still as the user wrote them
};
void add_condition_flags(CLI::App& command, ConditionFlags& flags);
void add_lease_id_flag(CLI::App& command, std::string& lease_id);
// With dates turned into the service's form: RFC 1123 and ISO 8601 in UTC are taken. Error: usage.
[[nodiscard]] Result<azure::Conditions> read_conditions(const ConditionFlags& flags);
// A write takes one condition only [blob-rest 5]. Error: usage.
[[nodiscard]] Status check_write_conditions(const azure::Conditions& conditions);

// `If-None-Match: *` would say that there is nothing to read. Error: usage.
[[nodiscard]] Status check_read_conditions(const azure::Conditions& conditions);

// "K=V" pairs. Error: usage, naming the pair's name.
[[nodiscard]] Result<azure::Metadata> read_metadata(const std::vector<std::string>& pairs);

// Duration and size options; a bad value is the parser's usage error.
CLI::Option* add_duration(CLI::App& app, const std::string& names, std::optional<std::chrono::milliseconds>& out,
                          const std::string& help);
CLI::Option* add_size(CLI::App& app, const std::string& names, std::optional<std::uint64_t>& out,
                      const std::string& help);

}  // namespace azlock::cli
