// How a command joins the program: flags into an options struct, then a function that does the work.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/context.hpp"

namespace azlock::cli {

using CommandFunction = std::function<Status(Context&)>;
// Of a command that runs a command: the command line to execute, out of what stood after `--`. Empty: with these
// options it runs none, and there is no guard. Error: usage.
using CommandLine = std::function<Result<std::vector<std::string>>(const std::vector<std::string>& after_dashes)>;

// Which function belongs to which parsed subcommand. Nothing runs inside the argument parser's callbacks.
class Commands {
  public:
    void add(const CLI::App* command, CommandFunction run) { functions_[command] = std::move(run); }
    // The function of the innermost subcommand that was given; null where none was.
    [[nodiscard]] const CommandFunction* chosen(const CLI::App& app) const;

    // What stands after the first `--` is a command to run (Context::command_line()), which the parser must not see.
    // With `flag`, only where that was given before the `--`.
    void take_command(const CLI::App* command, std::string flag = {}) { takes_command_[command] = std::move(flag); }
    // The same, and it runs under a guard that the Context has for it.
    void add_running(const CLI::App* command, CommandLine command_line, CommandFunction run) {
        add(command, std::move(run));
        take_command(command);
        command_lines_[command] = std::move(command_line);
    }
    // Null where the chosen command runs none under a guard.
    [[nodiscard]] const CommandLine* command_line(const CLI::App& app) const;
    // Where the arguments name a command that takes a command: takes what stands after the first `--` out of them (the
    // `--` too). Else nullopt.
    [[nodiscard]] std::optional<std::vector<std::string>> cut_command_line(const CLI::App& app,
                                                                           std::vector<std::string>& arguments) const;

  private:
    std::map<const CLI::App*, CommandFunction> functions_;
    std::map<const CLI::App*, std::string> takes_command_;
    std::map<const CLI::App*, CommandLine> command_lines_;
};

void register_upload(CLI::App& app, Commands& commands);
void register_resume(CLI::App& app, Commands& commands);
void register_verify(CLI::App& app, Commands& commands);
void register_download(CLI::App& app, Commands& commands);
void register_show(CLI::App& app, Commands& commands);
void register_list(CLI::App& app, Commands& commands);
void register_delete(CLI::App& app, Commands& commands);
void register_container(CLI::App& app, Commands& commands);
void register_lease(CLI::App& app, Commands& commands);
void register_lock(CLI::App& app, Commands& commands);
void register_lock_check(CLI::App& app, Commands& commands);
void register_elect(CLI::App& app, Commands& commands);
void register_watch(CLI::App& app, Commands& commands);
void register_doctor(CLI::App& app, Commands& commands);

}  // namespace azlock::cli
