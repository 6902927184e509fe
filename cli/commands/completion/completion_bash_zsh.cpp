// The scripts for bash and zsh: the same tables of the commands, each with an engine of its own.
#include "base/shell_quote.hpp"
#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

// COMP_CWORD is the index of the word to complete; bash makes '=' a separate word. After `--`, bash-completion
// completes the command, if it is loaded.
constexpr const char* kBash = R"(
_azlock_reply() {
    case $1 in
    file)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
    esac
}

_azlock() {
    local current=${COMP_WORDS[COMP_CWORD]} path=azlock waiting='' seen=' ' word values i
    local subcommands switches operands runs
    COMPREPLY=()
    if [[ ${COMP_WORDS[0]##*/} == azup ]]; then path='azlock upload'; fi
    _azlock_command "$path"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then
            continue
        elif [[ -n $waiting ]]; then
            waiting=
        elif [[ $word == -- ]]; then
            if [[ -z $runs || ($runs != always && $seen != *" $runs "*) ]]; then
                _azlock_reply "$operands" "$current"
            elif declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif ((i + 1 == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$current")
            else
                _azlock_reply file "$current"
            fi
            return
        elif [[ $word == -* ]]; then
            seen+="$word "
            if _azlock_value "$path" "$word"; then waiting=$word; fi
        elif [[ " ${subcommands[*]%%:*} " == *" $word "* ]]; then
            path+=" $word"
            _azlock_command "$path"
        fi
    done
    if [[ -n $waiting ]]; then
        _azlock_value "$path" "$waiting"
        _azlock_reply "$values" "${current#=}"
    elif [[ $current == -* ]]; then
        _azlock_reply "${switches[*]%%:*}" "$current"
    elif ((${#subcommands[@]})); then
        _azlock_reply "${subcommands[*]%%:*}" "$current"
    else
        _azlock_reply "$operands" "$current"
    fi
}

complete -F _azlock azlock azup
)";

// The words are in `words`; CURRENT is the index of the word to complete. "--wait=5m" is one word in zsh.
constexpr const char* kZsh = R"(
_azlock_reply() {
    if [[ $1 == file ]]; then
        _files
    elif [[ -n $1 ]]; then
        compadd -- ${=1}
    else
        _message 'nothing to complete'
    fi
}

_azlock() {
    local command_path=azlock waiting='' seen=' ' word values i
    local -a subcommands switches
    local operands runs
    if [[ ${words[1]:t} == azup ]]; then command_path='azlock upload'; fi
    _azlock_command "$command_path"
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        if [[ -n $waiting ]]; then
            waiting=
        elif [[ $word == -- ]]; then
            if [[ -z $runs || ($runs != always && $seen != *" $runs "*) ]]; then
                _azlock_reply "$operands"
            else
                shift $i words
                ((CURRENT -= i))
                _normal
            fi
            return
        elif [[ $word == -* ]]; then
            seen+="$word "
            if [[ $word != *=* ]] && _azlock_value "$command_path" "$word"; then waiting=$word; fi
        elif (( ${${(@)subcommands%%:*}[(Ie)$word]} )); then
            command_path+=" $word"
            _azlock_command "$command_path"
        fi
    done
    if [[ -n $waiting ]]; then
        _azlock_value "$command_path" "$waiting"
        _azlock_reply "$values"
    elif [[ $PREFIX == --*=* ]] && _azlock_value "$command_path" "${PREFIX%%=*}"; then
        compset -P 1 '*='
        _azlock_reply "$values"
    elif [[ $PREFIX == -* ]]; then
        _describe -o option switches
    elif (($#subcommands)); then
        _describe command subcommands
    else
        _azlock_reply "$operands"
    fi
}

if [[ $funcstack[1] == _azlock ]]; then
    _azlock "$@"
else
    compdef _azlock azlock azup
fi
)";

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

// The two functions that the scripts for bash and zsh share:
// _azlock_command PATH sets the arrays subcommands and switches ("name:what it is", a ':' of a name as '\:') and the
// strings operands ("file", a list of choices or nothing) and runs ("always", the flag that it needs, or nothing).
// _azlock_value PATH OPTION sets the string values in the same way as operands. It fails if the option takes no value.
std::string tables_of(const CommandInfo& app) {
    // The commands' own options come first: one may have the same name as an option of azlock.
    std::string own;
    for (const CommandInfo& command : app.commands) own += value_arms(command, shell_quoted(command.path));
    CommandInfo alone = app;
    alone.commands.clear();
    return "_azlock_command() {\n    case $1 in\n" + command_arms(app, "") + "    esac\n    switches+=(" +
           option_words(app) + ")\n}\n\n" + "_azlock_value() {\n    case \"$1 $2\" in\n" + own +
           value_arms(alone, "*") + "    *) return 1 ;;\n    esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandInfo& app) {
    return "# Completion of azlock for bash, made by: azlock completion bash\n\n" + tables_of(app) + kBash;
}

std::string zsh_completion(const CommandInfo& app) {
    return "#compdef azlock azup\n# Completion of azlock for zsh, made by: azlock completion zsh\n\n" + tables_of(app) +
           kZsh;
}

}  // namespace azlock::cli
