// The command tree as plain data, for whatever is made of it: completion scripts, man pages.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/program/command.hpp"

namespace azlock::cli {

struct OptionInfo {
    std::vector<std::string> names;    // "-w", "--wait"; of an operand its one name, such as "BLOB"
    std::string value;                 // what it takes, such as "DUR"; empty: nothing
    std::vector<std::string> choices;  // the only values that it takes, where there is such a list
    std::string help;
    std::string group;        // the heading in --help
    std::string environment;  // the variable that it stands in for, if any
    bool required = false;

    // What stands for its value names files.
    [[nodiscard]] bool takes_files() const;
};

struct CommandInfo {
    std::string path;  // "azlock lease acquire"
    std::string description;
    std::string footer;
    std::vector<OptionInfo> options;   // its own; those of `azlock` go with every command
    std::vector<OptionInfo> operands;  // what is given without a flag
    std::vector<CommandInfo> commands;
    bool runs_command = false;       // a command stands after `--`
    std::string runs_command_given;  // only with this flag, if any

    [[nodiscard]] std::string name() const;  // the last word of the path
    [[nodiscard]] bool takes_files() const;  // some operand does
};

// Hidden options and commands are left out.
[[nodiscard]] CommandInfo command_info(const CLI::App& app, const Commands& commands);

}  // namespace azlock::cli
