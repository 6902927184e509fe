// How a command joins the program: flags into an options struct, then a function that does the work.
#pragma once

#include <functional>
#include <map>

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

  private:
    std::map<const CLI::App*, CommandFunction> functions_;
};

void register_upload(CLI::App& app, Commands& commands);
void register_download(CLI::App& app, Commands& commands);
void register_show(CLI::App& app, Commands& commands);
void register_list(CLI::App& app, Commands& commands);
void register_delete(CLI::App& app, Commands& commands);
void register_container(CLI::App& app, Commands& commands);
void register_lease(CLI::App& app, Commands& commands);

}  // namespace azlock::cli
