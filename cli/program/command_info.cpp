#include "cli/program/command_info.hpp"

#include <algorithm>

namespace azlock::cli {
namespace {

OptionInfo option_info(const Option& option) {
    OptionInfo info;
    info.names = option.names();
    info.help = option.description();
    info.group = option.heading();
    info.environment = option.environment();
    info.required = option.is_required();
    info.excludes = option.excluded();
    if (!option.takes_value()) {
        info.optional_value = option.type();
        return info;
    }
    info.value = option.type();
    info.choices = option.choice_list();
    info.limits = option.limits();
    return info;
}

CommandInfo info_of(const Parser& command, const Commands& commands, const std::string& path) {
    CommandInfo info;
    const std::size_t space = path.find(' ');
    info.path = path;
    info.group = command.heading();
    info.description = command.description();
    info.footer = command.footer();
    for (const Option* option : command.options()) {
        if (option->heading().empty()) continue;
        (option->is_operand() ? info.operands : info.options).push_back(option_info(*option));
    }
    if (const std::string* flag = commands.takes_command(command)) info.runs = flag->empty() ? "always" : *flag;
    info.exit_codes = exit_codes_of(space == std::string::npos ? "" : std::string_view(path).substr(space + 1));
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

const CommandInfo& at_path(const CommandInfo& app, const std::string& path) {
    const CommandInfo* at = &app;
    while (at->path != path) {
        at = &*std::find_if(at->commands.begin(), at->commands.end(), [&](const CommandInfo& inner) {
            return path == inner.path || path.starts_with(inner.path + " ");
        });
    }
    return *at;
}

}  // namespace azlock::cli
