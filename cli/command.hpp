// How a command joins the program: flags into an options struct, then a function that does the work.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/context.hpp"

namespace azlock::cli {

using CommandFunction = std::function<Status(Context&)>;

// Which function belongs to which parsed subcommand. Nothing runs inside the argument parser's callbacks.
class Commands {
  public:
    void add(const CLI::App* command, CommandFunction run) { functions_[command] = std::move(run); }
    // The function of the innermost subcommand that was given; null where none was.
    [[nodiscard]] const CommandFunction* chosen(const CLI::App& app) const;

    // `upload --exec DEST -- COMMAND...`: takes the command, which the parser must not see, out of the arguments.
    void cut_exec(std::vector<std::string>& arguments);
    [[nodiscard]] const std::vector<std::string>& exec_command() const { return exec_command_; }

  private:
    std::vector<std::string> exec_command_;
    std::map<const CLI::App*, CommandFunction> functions_;
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

}  // namespace azlock::cli
