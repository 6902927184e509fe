// Prints the help of a command on standard output, as wide as the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/output/output.hpp"
#include "cli/program/command.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

enum class HelpLength { brief, full };

// Of the innermost command that `words` name; the root for none. `color`: --color. Error: io.
[[nodiscard]] Status show_help(Output& output, const Parser& app, const Commands& commands,
                               const std::vector<std::string>& words, HelpLength length, std::string_view color);

}  // namespace azlock::cli
