#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

// __azlock_path prints the subcommand of the line so far, or "run" and the words after `--`, if that command runs one.
constexpr const char* kEngine = R"(
function __azlock_path
    set -l path azlock
    set -l waiting 0
    set -l seen
    set -l line (commandline -opc)
    string match -q -r '(^|/)azup$' -- $line[1]; and set path 'azlock upload'
    set -e line[1]
    while set -q line[1]
        set -l word $line[1]
        set -e line[1]
        if test $waiting = 1
            set waiting 0
        else if test "$word" = --
            set -l flag (__azlock_runs $path)
            or break
            if test "$flag" = always; or contains -- $flag $seen
                printf '%s\n' run $line
                return
            end
            break
        else if string match -q -- '-*' $word
            set -a seen $word
            __azlock_takes_value $path $word; and set waiting 1
        else if __azlock_is_command "$path $word"
            set path "$path $word"
        end
    end
    echo $path
end

function __azlock_at
    test "$(__azlock_path)[1]" = "$argv"
end

function __azlock_inside
    set -l words (__azlock_path)
    test "$words[1]" = run; or return
    set -e words[1]
    complete -C (string join -- ' ' (string escape -- $words) (commandline -ct))
end

complete -c azup -w 'azlock upload'
complete -c azlock -n '__azlock_at run' -x -a '(__azlock_inside)'
)";

std::string fish_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
}

struct Tables {
    std::string commands, values, runs;  // arms of a switch
    std::string completions;
};

void add_options(const CommandInfo& from, const std::string& condition, Tables& tables) {
    for (const OptionInfo& option : from.options) {
        tables.completions += "complete -c azlock" + condition;
        for (const std::string& name : option.names) {
            tables.completions += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.value.empty()) tables.completions += option.takes_files() ? " -r -F" : " -x";
        if (!option.choices.empty()) tables.completions += " -a " + fish_quoted(option.choice_words());
        tables.completions += " -d " + fish_quoted(option.help) + "\n";
    }
}

void add_values(const CommandInfo& from, const std::string& path, Tables& tables) {
    for (const OptionInfo& option : from.options) {
        if (option.value.empty()) continue;
        for (const std::string& name : option.names) tables.values += " " + fish_quoted(path + " " + name);
    }
}

void add_command(const CommandInfo& command, Tables& tables) {
    const std::string condition = " -n " + fish_quoted("__azlock_at " + command.path);
    for (const CommandInfo& sub : command.commands) {
        tables.commands += " " + fish_quoted(sub.path);
        tables.completions += "complete -c azlock" + condition + " -f -a " + fish_quoted(sub.name()) + " -d " +
                              fish_quoted(sub.description) + "\n";
        add_command(sub, tables);
    }
    if (!command.takes_files()) tables.completions += "complete -c azlock" + condition + " -f\n";
    for (const OptionInfo& operand : command.operands) {
        for (const std::string& choice : operand.choices) {
            tables.completions += "complete -c azlock" + condition + " -f -a " + fish_quoted(choice) + "\n";
        }
    }
    if (!command.runs.empty()) {
        tables.runs += "        case " + fish_quoted(command.path) + "\n            echo -- " + command.runs + "\n";
    }
    if (command.path.find(' ') == std::string::npos) return;
    add_options(command, condition, tables);
    add_values(command, command.path, tables);
}

}  // namespace

std::string fish_completion(const CommandInfo& app) {
    Tables tables;
    add_command(app, tables);
    add_options(app, " -n 'not __azlock_at run'", tables);
    add_values(app, "*", tables);
    return "# Completion of azlock for fish, made by: azlock completion fish\n"
           "\nfunction __azlock_is_command\n    contains -- $argv[1]" +
           tables.commands + "\nend\n\nfunction __azlock_takes_value\n    set -l all" + tables.values +
           "\n    contains -- \"$argv\" $all; or contains -- \"* $argv[-1]\" $all"
           "\nend\n\nfunction __azlock_runs\n    switch \"$argv\"\n" +
           tables.runs + "        case '*'\n            return 1\n    end\nend\n" + kEngine + tables.completions;
}

}  // namespace azlock::cli
