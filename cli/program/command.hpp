// How a command is added to the program: flags that fill an options struct, and a function that does the work.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

using CommandFunction = std::function<Status(Context&)>;
// For a command that runs a command: makes the command line to execute from the words after `--`. Empty: with these
// options it runs no command, and there is no guard. Error: usage.
using CommandLine = std::function<Result<std::vector<std::string>>(const std::vector<std::string>& after_dashes)>;

// The words after `--`, which must name a command. Error (usage): they do not; `example` is how to give one.
[[nodiscard]] Result<std::vector<std::string>> need_command(const std::vector<std::string>& after_dashes,
                                                            const std::string& example);

// How many commands may run at once, according to the options.
using GuardCount = std::function<std::size_t()>;

// Which function belongs to which command. Nothing runs while the command line is parsed.
class Commands {
  public:
    void add(const Parser* command, CommandFunction run) { functions_[command] = std::move(run); }
    // Null if the command has no function of its own.
    [[nodiscard]] const CommandFunction* function(const Parser& command) const { return find(functions_, command); }

    // The words after the first `--` are a command to run (Context::command_line()), which the parser must not see.
    // With `flag`: only if that flag was given before the `--`.
    void take_command(const Parser* command, std::string flag = {}) { takes_command_[command] = std::move(flag); }
    // The same, and the command runs under a guard that the Context holds; with `guards`, under one of several.
    void add_running(const Parser* command, CommandLine command_line, CommandFunction run, GuardCount guards = {});
    // The flag (perhaps empty) of take_command(); null for a command that takes none.
    [[nodiscard]] const std::string* takes_command(const Parser& command) const {
        return find(takes_command_, command);
    }
    struct Running {
        CommandLine command_line;
        GuardCount guards;
    };
    // Null if the command runs none under a guard.
    [[nodiscard]] const Running* running(const Parser& command) const { return find(running_, command); }
    // The command prints a result on stdout after it has changed something, so stdout is checked first. (With --json
    // every command prints one.)
    void print_result(const Parser* command) { print_result_.insert(command); }
    [[nodiscard]] bool prints_result(const Parser& command) const { return print_result_.contains(&command); }

    // If the arguments name a command that takes a command: removes the first `--` and all words after it, and returns
    // those words. Else nullopt.
    [[nodiscard]] std::optional<std::vector<std::string>> cut_command_line(const Parser& root,
                                                                           std::vector<std::string>& arguments) const;

  private:
    template <typename Map>
    [[nodiscard]] static const typename Map::mapped_type* find(const Map& map, const Parser& command) {
        const auto it = map.find(&command);
        return it == map.end() ? nullptr : &it->second;
    }

    std::map<const Parser*, CommandFunction> functions_;
    std::map<const Parser*, std::string> takes_command_;
    std::map<const Parser*, Running> running_;
    std::set<const Parser*> print_result_;
};

void register_upload(Parser& app, Commands& commands);
void register_resume(Parser& app, Commands& commands);
void register_append(Parser& app, Commands& commands);
void register_verify(Parser& app, Commands& commands);
void register_download(Parser& app, Commands& commands);
void register_show(Parser& app, Commands& commands);
void register_list(Parser& app, Commands& commands);
void register_delete(Parser& app, Commands& commands);
void register_cas_update(Parser& app, Commands& commands);
void register_container(Parser& app, Commands& commands);
void register_lease(Parser& app, Commands& commands);
void register_lock(Parser& app, Commands& commands);
void register_lock_check(Parser& app, Commands& commands);
void register_elect(Parser& app, Commands& commands);
void register_watch(Parser& app, Commands& commands);
// `app` and `commands` must outlive the command's function.
void register_help(Parser& app, Commands& commands);
void register_completion(Parser& app, Commands& commands);
void register_queue(Parser& app, Commands& commands);
void register_sas(Parser& app, Commands& commands);
void register_doctor(Parser& app, Commands& commands);
void register_version(Parser& app, Commands& commands);

}  // namespace azlock::cli
