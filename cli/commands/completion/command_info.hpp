// The command tree as plain data, for completion scripts and man pages.
#pragma once

#include <string>
#include <vector>

#include "cli/program/command.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

struct OptionInfo {
    std::vector<std::string> names;    // "-w", "--wait"; an operand has one name, such as "BLOB"
    std::string value;                 // what it takes, such as "DUR"; empty: nothing
    std::vector<std::string> choices;  // the only values that it takes; empty: any value
    std::string help;
    std::string group;        // the heading in --help
    std::string environment;  // the variable that can replace it, if any
    bool required = false;

    // True if its value is the name of a file or directory.
    [[nodiscard]] bool takes_files() const;
};

struct CommandInfo {
    std::string path;  // "azlock lease acquire"
    std::string description;
    std::string footer;
    std::vector<OptionInfo> options;   // its own; those of `azlock` are for every command
    std::vector<OptionInfo> operands;  // arguments without a flag
    std::vector<CommandInfo> commands;
    bool runs_command = false;       // a command follows `--`
    std::string runs_command_given;  // only with this flag, if any

    [[nodiscard]] std::string name() const;  // the last word of the path
    [[nodiscard]] bool takes_files() const;  // an operand takes files
};

// Hidden options and commands are left out.
[[nodiscard]] CommandInfo command_info(const Parser& app, const Commands& commands);

}  // namespace azlock::cli
