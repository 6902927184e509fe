// The command tree as plain data, for help, man pages and completion.
#pragma once

#include <string>
#include <vector>

#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

struct OptionInfo {
    std::vector<std::string> names;    // "-w", "--wait"; an operand has one name, such as "BLOB"
    std::string value;                 // what it takes, such as "DUR"; empty: nothing
    std::string optional_value;        // "N" of "--fence[=N]"
    std::vector<std::string> choices;  // the only values that it takes; empty: any value
    std::string limits;                // "1 to 256", for a number; empty: none
    std::string help;
    std::string group;                  // the heading in --help
    std::string environment;            // the variable that can replace it, if any
    std::vector<std::string> excludes;  // the longest names of the options that cannot be given with it
    bool required = false;

    // True if its value is the name of a file or directory.
    [[nodiscard]] bool takes_files() const;
    [[nodiscard]] std::string choice_words() const;  // "include only"
};

struct CommandInfo {
    std::string path;   // "azlock lease acquire"
    std::string group;  // the heading in the list of commands
    std::string description;
    std::string footer;                // notes, and examples below a line "Examples:"
    std::vector<OptionInfo> options;   // its own; those of `azlock` are for every command
    std::vector<OptionInfo> operands;  // arguments without a flag
    std::vector<CommandInfo> commands;
    std::string runs;                  // "always": a command follows `--`; a flag: only with it; empty: it runs none
    std::vector<ExitCode> exit_codes;  // those that it can end with

    [[nodiscard]] std::string name() const;  // the last word of the path
    [[nodiscard]] bool takes_files() const;  // an operand takes files
};

// Hidden options and commands are left out.
[[nodiscard]] CommandInfo command_info(const Parser& app, const Commands& commands);
// The command of this path ("azlock lease acquire"), which must exist.
[[nodiscard]] const CommandInfo& at_path(const CommandInfo& app, const std::string& path);

}  // namespace azlock::cli
