// The text of --help, -h and `azlock help`.
#pragma once

#include <string>

#include "cli/program/command_info.hpp"

namespace azlock::cli {

struct HelpStyle {
    std::size_t columns = 80;
    bool color = false;
};

// --help: everything about the command.
[[nodiscard]] std::string full_help(const CommandInfo& command, HelpStyle style);
// -h: how it is used, examples, and the options that it has for itself.
[[nodiscard]] std::string brief_help(const CommandInfo& command, HelpStyle style);
// "azlock lock [OPTION...] NAME -- COMMAND..."
[[nodiscard]] std::string usage_of(const CommandInfo& command);

}  // namespace azlock::cli
