// The completion scripts for shells. They are made from the command tree and call neither azlock nor the network.
#pragma once

#include <string>

#include "cli/program/command_info.hpp"

namespace azlock::cli {

[[nodiscard]] std::string bash_completion(const CommandInfo& app);
[[nodiscard]] std::string zsh_completion(const CommandInfo& app);
[[nodiscard]] std::string fish_completion(const CommandInfo& app);

}  // namespace azlock::cli
