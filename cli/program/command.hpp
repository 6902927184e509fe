// How a command joins the program: flags into an options struct, then a function that does the work.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/program/context.hpp"

namespace azlock::cli {

using CommandFunction = std::function<Status(Context&)>;
// Of a command that runs a command: the command line to execute, out of what stood after `--`. Empty: with these
// options it runs none, and there is no guard. Error: usage.
using CommandLine = std::function<Result<std::vector<std::string>>(const std::vector<std::string>& after_dashes)>;

// How many of them may run at once, by the options that were given.
using GuardCount = std::function<std::size_t()>;

// Which function belongs to which parsed subcommand. Nothing runs inside the argument parser's callbacks.
class Commands {
  public:
    void add(const CLI::App* command, CommandFunction run) { functions_[command] = std::move(run); }
    // The function of the innermost subcommand that was given; null where none was.
    [[nodiscard]] const CommandFunction* chosen(const CLI::App& app) const;

    // What stands after the first `--` is a command to run (Context::command_line()), which the parser must not see.
    // With `flag`, only where that was given before the `--`.
    void take_command(const CLI::App* command, std::string flag = {}) { takes_command_[command] = std::move(flag); }
    // The same, and it runs under a guard that the Context has for it; under one of several with `guards`.
    void add_running(const CLI::App* command, CommandLine command_line, CommandFunction run, GuardCount guards = {}) {
        add(command, std::move(run));
        take_command(command);
        running_[command] = {std::move(command_line), guards ? std::move(guards) : [] { return std::size_t{1}; }};
    }
    // The flag (perhaps empty) of take_command(); null for a command that takes none.
    [[nodiscard]] const std::string* takes_command(const CLI::App* command) const {
        const auto it = takes_command_.find(command);
        return it == takes_command_.end() ? nullptr : &it->second;
    }
    struct Running {
        CommandLine command_line;
        GuardCount guards;
    };
    // Null where the chosen command runs none under a guard.
    [[nodiscard]] const Running* running(const CLI::App& app) const;
    // Where the arguments name a command that takes a command: takes what stands after the first `--` out of them (the
    // `--` too). Else nullopt.
    [[nodiscard]] std::optional<std::vector<std::string>> cut_command_line(const CLI::App& app,
                                                                           std::vector<std::string>& arguments) const;

  private:
    std::map<const CLI::App*, CommandFunction> functions_;
    std::map<const CLI::App*, std::string> takes_command_;
    std::map<const CLI::App*, Running> running_;
};

void register_upload(CLI::App& app, Commands& commands);
void register_resume(CLI::App& app, Commands& commands);
void register_append(CLI::App& app, Commands& commands);
void register_verify(CLI::App& app, Commands& commands);
void register_download(CLI::App& app, Commands& commands);
void register_show(CLI::App& app, Commands& commands);
void register_list(CLI::App& app, Commands& commands);
void register_delete(CLI::App& app, Commands& commands);
void register_cas_update(CLI::App& app, Commands& commands);
void register_container(CLI::App& app, Commands& commands);
void register_lease(CLI::App& app, Commands& commands);
void register_lock(CLI::App& app, Commands& commands);
void register_lock_check(CLI::App& app, Commands& commands);
void register_elect(CLI::App& app, Commands& commands);
void register_watch(CLI::App& app, Commands& commands);
// Both outlive the command's function.
void register_completion(CLI::App& app, Commands& commands);
void register_queue(CLI::App& app, Commands& commands);
void register_doctor(CLI::App& app, Commands& commands);

}  // namespace azlock::cli
