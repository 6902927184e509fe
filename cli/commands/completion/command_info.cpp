#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/completion/completion.hpp"

namespace azlock::cli {
namespace {

OptionInfo option_info(const Option& option) {
    OptionInfo info;
    info.names = option.names();
    info.help = option.description();
    info.group = option.heading();
    info.environment = option.environment();
    info.required = option.is_required();
    if (!option.takes_value()) return info;
    // The parser gives all of it in one text: "STATE:{leased,broken}", "N:UINT in [1 - 1000]".
    const std::string type = option.value_text();
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    if (open != std::string::npos && close != std::string::npos) {
        for (const std::string_view choice : split(std::string_view(type).substr(open + 1, close - open - 1), ',')) {
            info.choices.emplace_back(choice);
        }
    }
    info.value = type.substr(0, std::min(type.find(':'), open));
    return info;
}

CommandInfo info_of(const Parser& command, const Commands& commands, const std::string& path) {
    CommandInfo info;
    info.path = path;
    info.description = command.description();
    info.footer = command.footer();
    for (const Option* option : command.options()) {
        if (option->heading().empty()) continue;
        (option->is_operand() ? info.operands : info.options).push_back(option_info(*option));
    }
    if (const std::string* flag = commands.takes_command(command)) info.runs = flag->empty() ? "always" : *flag;
    for (const auto& inner : command.commands()) {
        info.commands.push_back(info_of(*inner, commands, path + " " + inner->name()));
    }
    return info;
}

}  // namespace

bool OptionInfo::takes_files() const {
    const bool named = !names.front().starts_with("-") &&
                       (names.front().find("FILE") != std::string::npos || names.front().starts_with("SRC"));
    return choices.empty() && (named || value == "FILE" || value == "DIR");
}

std::string OptionInfo::choice_words() const {
    std::string out;
    for (const std::string& choice : choices) out += (out.empty() ? "" : " ") + choice;
    return out;
}

std::string CommandInfo::name() const {
    return path.substr(path.rfind(' ') + 1);
}

bool CommandInfo::takes_files() const {
    return std::any_of(operands.begin(), operands.end(), [](const OptionInfo& o) { return o.takes_files(); });
}

CommandInfo command_info(const Parser& app, const Commands& commands) {
    return info_of(app, commands, app.name());
}

}  // namespace azlock::cli
