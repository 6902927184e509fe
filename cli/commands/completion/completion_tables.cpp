#include "base/shell_quote.hpp"
#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

std::string described(const std::string& name, const std::string& help) {
    std::string word;
    for (const char c : name) word += c == ':' ? "\\:" : std::string(1, c);
    return shell_quoted(word + ":" + help);
}

std::string values_of(const OptionInfo& option) {
    return option.takes_files() ? "file" : option.choice_words();
}

std::string operands_of(const CommandInfo& command) {
    if (command.takes_files()) return "file";
    for (const OptionInfo& operand : command.operands) {
        if (!operand.choices.empty()) return values_of(operand);
    }
    return "";
}

std::string option_words(const CommandInfo& command) {
    std::string out;
    for (const OptionInfo& option : command.options) {
        for (const std::string& name : option.names) out += "\n            " + described(name, option.help);
    }
    return out;
}

std::string command_arms(const CommandInfo& command, const std::string& options) {
    std::string subcommands;
    for (const CommandInfo& sub : command.commands) subcommands += " " + described(sub.name(), sub.description);
    std::string out = "    " + shell_quoted(command.path) + ")\n        subcommands=(" + subcommands +
                      ")\n        switches=(" + options + ")\n        operands=" + shell_quoted(operands_of(command)) +
                      "\n        runs=" + (command.runs.empty() ? "''" : command.runs) + "\n        ;;\n";
    for (const CommandInfo& sub : command.commands) out += command_arms(sub, option_words(sub));
    return out;
}

// `path` is a shell pattern: "*" for the options of azlock itself, which are for every command.
std::string value_arms(const CommandInfo& command, const std::string& path) {
    std::string out;
    for (const OptionInfo& option : command.options) {
        if (option.value.empty()) continue;
        std::string pattern;
        for (const std::string& name : option.names) {
            pattern += (pattern.empty() ? "" : " | ") + path + shell_quoted(" " + name);
        }
        out += "    " + pattern + ") values=" + shell_quoted(values_of(option)) + " ;;\n";
    }
    for (const CommandInfo& sub : command.commands) out += value_arms(sub, shell_quoted(sub.path));
    return out;
}

}  // namespace

std::string completion_tables(const CommandInfo& app) {
    // The commands' own options come first: one may have the same name as an option of azlock.
    std::string own;
    for (const CommandInfo& command : app.commands) own += value_arms(command, shell_quoted(command.path));
    CommandInfo alone = app;
    alone.commands.clear();
    return "_azlock_command() {\n    case $1 in\n" + command_arms(app, "") + "    esac\n    switches+=(" +
           option_words(app) + ")\n}\n\n" + "_azlock_value() {\n    case \"$1 $2\" in\n" + own +
           value_arms(alone, "*") + "    *) return 1 ;;\n    esac\n}\n";
}

}  // namespace azlock::cli
