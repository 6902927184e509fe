// The configuration file: TOML without tables (docs/configuration.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock::cli {

using ConfigValues = std::map<std::string, std::string>;

// The keys of the top table and their values as text. Error (config): an unknown key, a table, a list, a key given
// twice, text that is not TOML. The message names line and key, never a value.
[[nodiscard]] Result<ConfigValues> parse_config(std::string_view text, const std::string& file);

// The content of the file. `required`: a missing file is an error (config); otherwise it is empty.
[[nodiscard]] Result<std::string> config_text(const std::string& file, bool required);

// The version of the library that reads it.
[[nodiscard]] std::string toml_version();

// "$XDG_CONFIG_HOME/azlock/config.toml", or "~/.config/azlock/config.toml"; empty if neither folder is known.
[[nodiscard]] std::string default_config_path();

}  // namespace azlock::cli
