// `azlock completion SHELL`: the script that completes azlock's command line in a shell.
#include <memory>

#include "cli/commands/completion/completion.hpp"
#include "cli/program/command.hpp"

namespace azlock::cli {
namespace {

Json to_json(const OptionInfo& option) {
    Json out;
    out["names"] = option.names;
    out["value"] = or_null(option.value);
    out["choices"] = option.choices;
    out["limits"] = or_null(option.limits);
    out["help"] = option.help;
    out["group"] = option.group;
    out["environment"] = or_null(option.environment);
    out["required"] = option.required;
    return out;
}

Json to_json(const CommandInfo& command) {
    Json out;
    out["command"] = command.path;
    out["description"] = command.description;
    out["operands"] = Json::array();
    for (const OptionInfo& operand : command.operands) out["operands"].push_back(to_json(operand));
    out["options"] = Json::array();
    for (const OptionInfo& option : command.options) out["options"].push_back(to_json(option));
    out["runs_command"] = !command.runs.empty();
    out["footer"] = command.footer;
    out["exit_codes"] = Json::array();
    for (const ExitCode& row : command.exit_codes) {
        out["exit_codes"].push_back(Json{{"code", row.code}, {"meaning", row.meaning}});
    }
    out["commands"] = Json::array();
    for (const CommandInfo& sub : command.commands) out["commands"].push_back(to_json(sub));
    return out;
}

Status run(const std::string& shell, const CommandInfo& tree, Context& context) {
    if (context.output().json()) return context.output().object(to_json(tree));
    if (shell.empty()) return fail(ErrorCode::usage, "no shell was given", "azlock completion bash|zsh|fish");
    const std::string script = shell == "bash"  ? bash_completion(tree)
                               : shell == "zsh" ? zsh_completion(tree)
                                                : fish_completion(tree);
    return context.output().bytes(as_bytes(script));
}

}  // namespace

void register_completion(Parser& app, Commands& commands) {
    auto shell = std::make_shared<std::string>();
    Parser* cmd = app.add_subcommand("completion", "Print a script that completes azlock's command line in a shell");
    cmd->add_option("SHELL", *shell, "bash, zsh or fish; not needed with --json, which prints all commands and options")
        ->choices({"bash", "zsh", "fish"});
    cmd->footer(
        "Examples:\n"
        "  source <(azlock completion bash)                       # in ~/.bashrc\n"
        "  azlock completion zsh > \"${fpath[1]}/_azlock\"          # before compinit\n"
        "  azlock completion fish > ~/.config/fish/completions/azlock.fish\n"
        "The Debian package installs all three.\n");
    commands.add(
        cmd, [shell, &app, &commands](Context& context) { return run(*shell, command_info(app, commands), context); });
}

}  // namespace azlock::cli
