#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

// The words are in `words`; CURRENT is the index of the word to complete. "--wait=5m" is one word in zsh.
constexpr const char* kEngine = R"(
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

}  // namespace

std::string zsh_completion(const CommandInfo& app) {
    return "#compdef azlock azup\n# Completion of azlock for zsh, made by: azlock completion zsh\n\n" +
           completion_tables(app) + kEngine;
}

}  // namespace azlock::cli
