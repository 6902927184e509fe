// `azlock help [COMMAND...]` and `azlock version`.
#include <memory>

#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/show_help.hpp"
#include "cli/program/unexpected.hpp"
#include "cli/program/version.hpp"

namespace azlock::cli {

void register_help(Parser& app, Commands& commands) {
    auto words = std::make_shared<std::vector<std::string>>();
    Parser* cmd = app.add_subcommand("help", "Explain azlock or one of its commands");
    cmd->add_option("COMMAND...", *words, "A command, such as: lease break");
    cmd->footer("Examples:\n  azlock help lock\n  azlock help lease break\n");
    commands.add(cmd, [words, &app, &commands](Context& context) -> Status {
        if (const auto unknown = first_unexpected(app, commands, *words, true)) return fail(*unknown);
        return show_help(context.output(), app, commands, *words, HelpLength::full, context.color());
    });
}

void register_version(Parser& app, Commands& commands) {
    Parser* cmd = app.add_subcommand("version", "Print the versions of azlock, the API and the libraries");
    commands.add(cmd, [](Context& context) { return show_version(context.output()); });
}

}  // namespace azlock::cli
