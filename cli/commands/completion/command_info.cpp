#include "cli/commands/completion/command_info.hpp"

#include <algorithm>

namespace azlock::cli {
namespace {

std::vector<std::string> cut(const std::string& text, char separator) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        if (end > at) out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

// The parser has it in one text: "STATE:{leased,broken}", "N:UINT in [1 - 1000]".
void read_value(const std::string& type, OptionInfo& info) {
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    if (open != std::string::npos && close != std::string::npos) {
        info.choices = cut(type.substr(open + 1, close - open - 1), ',');
    }
    info.value = type.substr(0, std::min(type.find(':'), open));
}

OptionInfo option_info(const CLI::Option& option) {
    OptionInfo info;
    if (option.get_positional()) {
        info.names = {option.get_name(true)};
    } else {
        for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
    }
    info.help = option.get_description();
    info.group = option.get_group();
    info.environment = option.get_envname();
    info.required = option.get_required();
    if (option.get_items_expected_max() > 0) read_value(option.get_type_name(), info);
    return info;
}

CommandInfo info_of(const CLI::App& app, const Commands& commands, const std::string& path) {
    CommandInfo info;
    info.path = path;
    info.description = app.get_description();
    info.footer = app.get_footer();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->get_positional() ? info.operands : info.options).push_back(option_info(*option));
    }
    if (const std::string* flag = commands.takes_command(&app)) {
        info.runs_command = true;
        info.runs_command_given = *flag;
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_group().empty()) continue;
        info.commands.push_back(info_of(*command, commands, path + " " + command->get_name()));
    }
    return info;
}

}  // namespace

bool OptionInfo::takes_files() const {
    const bool named = !names.front().starts_with("-") &&
                       (names.front().find("FILE") != std::string::npos || names.front().starts_with("SRC"));
    return choices.empty() && (named || value == "FILE" || value == "DIR");
}

std::string CommandInfo::name() const {
    return path.substr(path.rfind(' ') + 1);
}

bool CommandInfo::takes_files() const {
    return std::any_of(operands.begin(), operands.end(), [](const OptionInfo& o) { return o.takes_files(); });
}

CommandInfo command_info(const CLI::App& app, const Commands& commands) {
    return info_of(app, commands, app.get_name());
}

}  // namespace azlock::cli
