#include "cli/program/words.hpp"

namespace azlock::cli {

Words read_words(const Parser& root, const std::vector<std::string>& arguments) {
    Words out{{}, &root, root.name()};
    const Option* before = nullptr;  // an option that takes the next word
    bool commands_end = false;
    bool dashes = false;
    for (const std::string& text : arguments) {
        if (dashes) {
            out.each.push_back({Word::Kind::rest, nullptr});
        } else if (before != nullptr) {
            out.each.push_back({Word::Kind::value, before});
            before = nullptr;
        } else if (text == "--") {
            dashes = true;
            out.each.push_back({Word::Kind::dashes, nullptr});
        } else if (text.starts_with("-") && text != "-") {
            const std::size_t equals = text.find('=');
            const Option* option = out.command->find_option(text.substr(0, equals));
            if (option != nullptr && option->needs_value() && equals == std::string::npos) before = option;
            out.each.push_back({Word::Kind::option, option});
        } else if (const Parser* inner = commands_end ? nullptr : out.command->command(text); inner != nullptr) {
            out.command = inner;
            out.command_path += " " + text;
            out.each.push_back({Word::Kind::command, nullptr});
        } else {
            commands_end = true;
            out.each.push_back({Word::Kind::operand, nullptr});
        }
    }
    return out;
}

Result<std::vector<std::string>> separate_empty_values(const Parser& root, const std::vector<std::string>& arguments) {
    const Words words = read_words(root, arguments);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& text = arguments[i];
        const auto& [kind, option] = words.each[i];
        if (kind != Word::Kind::option || option == nullptr || text.find('=') != text.size() - 1) {
            out.push_back(text);
            continue;
        }
        const std::string name = text.substr(0, text.size() - 1);
        if (!option->takes_value()) {
            return fail(ErrorCode::usage, name + ": the value after '=' is empty", see_help(words.command_path));
        }
        out.insert(out.end(), {name, ""});
    }
    return out;
}

std::optional<std::string> value_given(const Parser& root, const std::vector<std::string>& arguments,
                                       const std::string& name) {
    const Words words = read_words(root, arguments);
    const Option* wanted = words.command->find_option(name);
    std::optional<std::string> out;
    if (wanted == nullptr) return out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (words.each[i].option != wanted) continue;
        if (words.each[i].kind == Word::Kind::value) out = arguments[i];
        const std::size_t equals = arguments[i].find('=');
        if (words.each[i].kind == Word::Kind::option && equals != std::string::npos) {
            out = arguments[i].substr(equals + 1);
        }
    }
    return out;
}

std::string see_help(const std::string& command_path) {
    return "see '" + command_path + " --help'";
}

}  // namespace azlock::cli
