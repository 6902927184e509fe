#include "cli/program/command.hpp"

#include <algorithm>

namespace azlock::cli {
void Commands::add_running(const Parser* command, CommandLine command_line, CommandFunction run, GuardCount guards) {
    add(command, std::move(run));
    take_command(command);
    running_[command] = {std::move(command_line), guards ? std::move(guards) : [] { return std::size_t{1}; }};
}

std::optional<std::vector<std::string>> Commands::cut_command_line(const Parser& root,
                                                                   std::vector<std::string>& arguments) const {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes == arguments.end()) return std::nullopt;
    const Parser* command = &root;
    for (auto it = arguments.begin(); it != dashes; ++it) {
        if (it->starts_with("-")) {
            // The value of an option is not a command, even if it looks like one.
            const Option* option = it->find('=') == std::string::npos ? command->find_option(*it) : nullptr;
            if (option != nullptr && option->needs_value() && it + 1 != dashes) ++it;
            continue;
        }
        const Parser* inner = command->command(*it);
        if (inner != nullptr) command = inner;
        if (inner == nullptr || command->commands().empty()) break;
    }
    const std::string* flag = takes_command(*command);
    if (flag == nullptr) return std::nullopt;
    if (!flag->empty() && std::find(arguments.begin(), dashes, *flag) == dashes) return std::nullopt;
    std::vector<std::string> out(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    return out;
}

}  // namespace azlock::cli
