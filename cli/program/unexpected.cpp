#include "cli/program/unexpected.hpp"

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "base/shell_quote.hpp"
#include "base/text.hpp"
#include "cli/program/words.hpp"

namespace azlock::cli {
namespace {

// What other tools call our commands, and what to say.
const std::map<std::string_view, std::string_view> kElsewhere{
    {"ls", "'azlock list' lists blobs and containers"},
    {"dir", "'azlock list' lists blobs and containers"},
    {"cp", "'azlock upload FILE CONTAINER/BLOB' or 'azlock download CONTAINER/BLOB FILE' copies"},
    {"copy", "'azlock upload FILE CONTAINER/BLOB' or 'azlock download CONTAINER/BLOB FILE' copies"},
    {"sync", "'azlock upload -r DIR CONTAINER/ --skip-unchanged' uploads what has changed"},
    {"push", "'azlock upload' uploads; 'azlock queue put' puts a task into a queue"},
    {"put", "'azlock upload' uploads; 'azlock queue put' puts a task into a queue"},
    {"get", "'azlock download CONTAINER/BLOB FILE' downloads"},
    {"pull", "'azlock download CONTAINER/BLOB FILE' downloads"},
    {"cat", "'azlock download CONTAINER/BLOB -' prints a blob"},
    {"rm", "'azlock delete CONTAINER/BLOB' deletes"},
    {"del", "'azlock delete CONTAINER/BLOB' deletes"},
    {"remove", "'azlock delete CONTAINER/BLOB' deletes"},
    {"mv", "azlock has no command that moves a blob: download it, upload it, then 'azlock delete' the old one"},
    {"rename", "azlock has no command that moves a blob: download it, upload it, then 'azlock delete' the old one"},
    {"mb", "'azlock container create NAME' makes a container"},
    {"mkdir", "'azlock container create NAME' makes a container"},
    {"stat", "'azlock show CONTAINER/BLOB' shows a blob"},
    {"info", "'azlock show CONTAINER/BLOB' shows a blob"},
    {"tail", "'azlock download CONTAINER/BLOB --follow' prints an append blob as it grows"},
    {"cas", "'azlock cas-update' changes a blob without losing an update"},
    {"flock", "'azlock lock NAME -- COMMAND' runs a command under a lock"},
    {"run", "'azlock lock NAME -- COMMAND' runs a command under a lock"},
    {"acquire", "'azlock lease acquire' takes a lease"},
    {"renew", "'azlock lease renew' renews a lease"},
    {"release", "'azlock lease release' ends a lease"},
    {"break", "'azlock lease break' breaks a lease"},
    {"work", "'azlock queue work' runs a command for each task"},
    {"login", "azlock logs in by itself with what is set here; 'azlock doctor' shows what it finds"},
};

Error usage(std::string message, const std::string& meant, const Parser& command) {
    return make_error(ErrorCode::usage, std::move(message), meant.empty() ? see_help(command.path()) : meant);
}

std::string quoted(const std::string& text) {
    return "'" + printable(text) + "'";
}

// "-w5m" and "-vv" are the option of their first letter.
bool is_known(const Parser& command, const std::string& word, const Option* option) {
    if (option != nullptr) return true;
    return word.size() > 2 && word[1] != '-' && command.find_option(word.substr(0, 2)) != nullptr;
}

Error unknown_option(const Parser& command, const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> candidates;
    for (const Parser* at = &command; at != nullptr; at = at->parent()) {
        for (const Option* option : at->options()) {
            if (option->is_operand() || option->heading().empty()) continue;
            for (const std::string& known : option->names()) {
                if (known.starts_with("--")) candidates.push_back(known);
            }
        }
    }
    auto near = name.starts_with("--") ? nearest(name, candidates) : std::nullopt;
    if (!near && name.starts_with("--")) {
        // "--overwrite" is near to "--no-overwrite".
        near = nearest("--no-" + name.substr(2), candidates);
    }
    return usage(quoted(command.path()) + " has no option " + quoted(name), near ? "do you mean '" + *near + "'?" : "",
                 command);
}

std::string names_of(const Parser& group) {
    std::string list;
    for (const auto& command : group.commands()) list += (list.empty() ? "" : ", ") + command->name();
    return list;
}

Error unknown_command(const Parser& group, const std::string& word) {
    std::vector<std::string> names;
    for (const auto& command : group.commands()) names.push_back(command->name());
    const auto near = nearest(word, names);
    std::string meant;
    const bool root = group.parent() == nullptr;
    if (const auto known = kElsewhere.find(word); root && known != kElsewhere.end()) {
        meant = known->second;
    } else if (near) {
        meant = "do you mean '" + group.path() + " " + *near + "'?";
    } else if (!root) {
        meant = "it has " + names_of(group);
    }
    return usage(quoted(group.path()) + " has no command " + quoted(word), meant, group);
}

Error too_many(const Parser& command, const Commands& commands, const std::vector<std::string>& arguments,
               std::size_t index, bool has_dashes) {
    const std::string* flag = commands.takes_command(command);
    if (flag != nullptr && flag->empty() && !has_dashes) {
        std::string line = "azlock";
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            line += (i == index ? " -- " : " ") + shell_word(arguments[i]);
        }
        return usage("'--' must come before the command to run", "as in: " + printable(line), command);
    }
    std::string operands;
    for (const Option* option : command.options()) {
        if (option->is_operand()) operands += " " + option->names().front();
    }
    return usage(quoted(arguments[index]) + " is one argument too many",
                 operands.empty() ? quoted(command.path()) + " takes none" : "it takes" + operands, command);
}

}  // namespace

std::optional<Error> first_unexpected(const Parser& root, const Commands& commands,
                                      const std::vector<std::string>& arguments, bool has_dashes) {
    const Words words = read_words(root, arguments);
    const Parser& command = *words.command;
    std::size_t room = 0;
    for (const Option* option : command.options()) {
        if (option->is_operand()) room += option->most_values();
    }
    for (std::size_t i = 0; i < words.each.size(); ++i) {
        const auto& [kind, option] = words.each[i];
        if (kind == Word::Kind::option && !is_known(command, arguments[i], option)) {
            return unknown_option(command, arguments[i]);
        }
        if (kind != Word::Kind::operand) continue;
        if (!command.commands().empty()) return unknown_command(command, arguments[i]);
        if (room == 0) return too_many(command, commands, arguments, i, has_dashes);
        --room;
    }
    return std::nullopt;
}

Error explain_refusal(const Parser& root, const Commands& commands, const std::vector<std::string>& arguments,
                      bool has_dashes, const Error& refusal) {
    if (const auto unexpected = first_unexpected(root, commands, arguments, has_dashes)) return *unexpected;
    const Parser& command = *read_words(root, arguments).command;
    if (command.commands().empty()) return refusal;
    return usage(quoted(command.path()) + " needs a command", "one of " + names_of(command), command);
}

}  // namespace azlock::cli
