// The command tree as plain data, for man pages, and the completion scripts for shells that are made from it. The
// scripts call neither azlock nor the network.
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
    [[nodiscard]] std::string choice_words() const;  // "include only"
};

struct CommandInfo {
    std::string path;  // "azlock lease acquire"
    std::string description;
    std::string footer;
    std::vector<OptionInfo> options;   // its own; those of `azlock` are for every command
    std::vector<OptionInfo> operands;  // arguments without a flag
    std::vector<CommandInfo> commands;
    std::string runs;  // "always": a command follows `--`; a flag: only with it; empty: it runs none

    [[nodiscard]] std::string name() const;  // the last word of the path
    [[nodiscard]] bool takes_files() const;  // an operand takes files
};

// Hidden options and commands are left out.
[[nodiscard]] CommandInfo command_info(const Parser& app, const Commands& commands);

[[nodiscard]] std::string bash_completion(const CommandInfo& app);
[[nodiscard]] std::string zsh_completion(const CommandInfo& app);
[[nodiscard]] std::string fish_completion(const CommandInfo& app);

}  // namespace azlock::cli
