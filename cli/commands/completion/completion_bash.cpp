#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

// COMP_CWORD is the index of the word to complete; bash makes '=' a separate word. After `--`, bash-completion
// completes the command, if it is loaded.
constexpr const char* kEngine = R"(
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

}  // namespace

std::string bash_completion(const CommandInfo& app) {
    return "# Completion of azlock for bash, made by: azlock completion bash\n\n" + completion_tables(app) + kEngine;
}

}  // namespace azlock::cli
