// The configuration file: TOML with one key a line (docs/configuration.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock::cli {

using ConfigValues = std::map<std::string, std::string>;

// Keys of the top table and their values as text. Error (config): a key that azlock does not know, a table, a list, a
// key given twice, a line that is no assignment. The message names key or line, never a value.
[[nodiscard]] Result<ConfigValues> parse_config(std::string_view text, const std::string& file);

// Reads the file. `required`: a missing one is an error (config) instead of no values.
[[nodiscard]] Result<ConfigValues> load_config(const std::string& file, bool required);

// "$XDG_CONFIG_HOME/azlock/config.toml", or "~/.config/azlock/config.toml"; empty where neither is known.
[[nodiscard]] std::string default_config_path();

}  // namespace azlock::cli
