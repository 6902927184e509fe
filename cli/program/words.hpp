// What each word of a command line is, told without the parser library: for what must be known before it parses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/parser.hpp"

namespace azlock::cli {

struct Word {
    enum class Kind {
        command,
        option,  // "--wait", "--wait=5s", "-w"
        value,   // of the option before it
        operand,
        dashes,  // the first `--`
        rest,    // behind it
    };
    Kind kind;
    const Option* option;  // of an option and of a value; null if the command has none of this name
};

struct Words {
    std::vector<Word> each;    // one for each argument
    const Parser* command;     // the innermost command that is named
    std::string command_path;  // "azlock lease acquire"
};
[[nodiscard]] Words read_words(const Parser& root, const std::vector<std::string>& arguments);

// The arguments with "--name=" as the two words "--name" and "", which is what it means: the parser library would take
// the next word as the value. Error (usage): a flag without a value has the "=".
[[nodiscard]] Result<std::vector<std::string>> separate_empty_values(const Parser& root,
                                                                     const std::vector<std::string>& arguments);

// The last value that is given for the option `name`, if the command that is named has such an option.
[[nodiscard]] std::optional<std::string> value_given(const Parser& root, const std::vector<std::string>& arguments,
                                                     const std::string& name);

// "see 'azlock lease acquire --help'"
[[nodiscard]] std::string see_help(const std::string& command_path);

}  // namespace azlock::cli
