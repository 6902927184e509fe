// Why the grammar refuses a command line: which word has no place in it, and what was probably meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

// Usage error about the first word, in the given order, that is no command, option or operand. Nullopt: each word has a
// place. `arguments` end before the `--` of a command to run, and `has_dashes` tells whether there was one.
[[nodiscard]] std::optional<Error> first_unexpected(const Parser& root, const Commands& commands,
                                                    const std::vector<std::string>& arguments, bool has_dashes);

// Why the parser refuses the arguments: a word without a place, a group without its command, or what it said itself.
[[nodiscard]] Error explain_refusal(const Parser& root, const Commands& commands,
                                    const std::vector<std::string>& arguments, bool has_dashes, const Error& refusal);

}  // namespace azlock::cli
