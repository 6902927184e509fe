// Completion scripts for shells, made from the command tree. They call neither azlock nor the network.
#pragma once

#include <string>

#include "base/shell_quote.hpp"
#include "cli/commands/completion/command_info.hpp"

namespace azlock::cli {

[[nodiscard]] std::string bash_completion(const CommandInfo& app);
[[nodiscard]] std::string zsh_completion(const CommandInfo& app);
[[nodiscard]] std::string fish_completion(const CommandInfo& app);

// The two functions that the scripts for bash and zsh share:
// _azlock_command PATH sets the arrays subcommands and switches ("name:what it is", a ':' of a name as '\:') and the
// strings operands ("file", a list of choices or nothing) and runs ("always", the flag that it needs, or nothing).
// _azlock_value PATH OPTION sets the string values in the same way as operands. It fails if the option takes no value.
[[nodiscard]] std::string completion_tables(const CommandInfo& app);

}  // namespace azlock::cli
