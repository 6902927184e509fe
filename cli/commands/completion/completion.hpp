// Completion scripts for shells, made from the command tree. They call nothing: no azlock, no network.
#pragma once

#include <string>

#include "cli/commands/completion/command_info.hpp"

namespace azlock::cli {

[[nodiscard]] std::string bash_completion(const CommandInfo& app);
[[nodiscard]] std::string zsh_completion(const CommandInfo& app);
[[nodiscard]] std::string fish_completion(const CommandInfo& app);

// In single quotes, as bash and zsh read it.
[[nodiscard]] std::string shell_quoted(const std::string& text);

// What the scripts for bash and zsh have in common, two functions that they ask:
// _azlock_command PATH sets the arrays subcommands and switches ("name:what it is", a ':' of a name as '\:') and the
// strings operands ("file", a list of choices or nothing) and runs ("always", the flag that it takes, or nothing).
// _azlock_value PATH OPTION sets values in the same way as operands, and fails where the option takes none.
[[nodiscard]] std::string completion_tables(const CommandInfo& app);

}  // namespace azlock::cli
