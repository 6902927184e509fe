#include "cli/program/command.hpp"

#include <algorithm>

#include "cli/program/words.hpp"

namespace azlock::cli {

Result<std::vector<std::string>> need_command(const std::vector<std::string>& after_dashes,
                                              const std::string& example) {
    if (!after_dashes.empty() && !after_dashes.front().empty()) return after_dashes;
    return fail(ErrorCode::usage, "no command was given", "give it after --, as in '" + example + "'");
}

void Commands::add_running(const Parser* command, CommandLine command_line, CommandFunction run, GuardCount guards) {
    add(command, std::move(run));
    take_command(command);
    running_[command] = {std::move(command_line), guards ? std::move(guards) : [] { return std::size_t{1}; }};
}

std::optional<std::vector<std::string>> Commands::cut_command_line(const Parser& root,
                                                                   std::vector<std::string>& arguments) const {
    const Words words = read_words(root, arguments);
    const auto found = std::find_if(words.each.begin(), words.each.end(),
                                    [](const Word& word) { return word.kind == Word::Kind::dashes; });
    if (found == words.each.end()) return std::nullopt;
    const auto dashes = arguments.begin() + (found - words.each.begin());
    const std::string* flag = takes_command(*words.command);
    if (flag == nullptr) return std::nullopt;
    if (!flag->empty() && std::find(arguments.begin(), dashes, *flag) == dashes) return std::nullopt;
    std::vector<std::string> out(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    return out;
}

}  // namespace azlock::cli
