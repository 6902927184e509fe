#include "cli/app.hpp"

#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/program/version.hpp"
#include "os/signals.hpp"

namespace azlock::cli {
namespace {

void describe_app(CLI::App& app) {
    app.description("azlock: uploads, leases and locks on Azure Blob Storage that stay right when things go wrong");
    app.require_subcommand(0, 1);
    app.fallthrough();
    app.get_formatter()->column_width(36);
}

// Not before the commands are there: they would begin with it as their own.
void add_app_footer(CLI::App& app) {
    app.footer(
        "Examples:\n"
        "  export AZURE_STORAGE_CONNECTION_STRING=...\n"
        "  azlock upload build.tar.gz artifacts/build.tar.gz --create-container\n"
        "  azlock list artifacts\n"
        "  azlock download artifacts/build.tar.gz copy.tar.gz\n"
        "  azlock COMMAND --help\n\n" +
        exit_code_help());
}

// Each command's --help ends with what a script that calls it needs to know.
void add_exit_codes(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        const std::string examples = command->get_footer();
        command->footer(examples + (examples.empty() ? "" : "\n") +
                        "Options of every command (account, network, output): azlock --help\n\n" + exit_code_help());
        add_exit_codes(*command);
    }
}

// The parser's own message is about flags and values; one line of it, and where to read on.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
    std::string message = error.what();
    message.erase(std::find(message.begin(), message.end(), '\n'), message.end());
    std::string command = "azlock";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
        at = at->get_subcommands().front();
        command += " " + at->get_name();
    }
    return make_error(ErrorCode::usage, message, "see '" + command + " --help'");
}

int finish(const Output& output, const Status& outcome, int signal, std::optional<int> own_code = {}) {
    if (outcome) return own_code.value_or(0);
    Error error = outcome.error();
    if (error.code == ErrorCode::io && os::reader_is_gone(STDOUT_FILENO)) os::die_of_sigpipe();
    // An outcome that is not known because nobody waited for the answer any more.
    if (signal != 0 && !own_code && error.code == ErrorCode::unavailable) error.code = ErrorCode::cancelled;
    output.error(error);
    return own_code.value_or(exit_code(error, signal));
}

// --json and --quiet as far as they can be known before the arguments are parsed.
OutputOptions early_options(const std::vector<std::string>& arguments) {
    const auto given = [&](const char* flag) {
        return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
    };
    return {given("--json"), false};
}

// An option of the command or, as it falls through, of one above it; null where there is none.
const CLI::Option* option_of(const CLI::App& command, const std::string& name) {
    for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
        if (const CLI::Option* found = at->get_option_no_throw(name)) return found;
    }
    return nullptr;
}

}  // namespace

const CommandFunction* Commands::chosen(const CLI::App& app) const {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    const auto it = functions_.find(at);
    return it == functions_.end() ? nullptr : &it->second;
}

const Commands::Running* Commands::running(const CLI::App& app) const {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    const auto it = running_.find(at);
    return it == running_.end() ? nullptr : &it->second;
}

std::optional<std::vector<std::string>> Commands::cut_command_line(const CLI::App& app,
                                                                   std::vector<std::string>& arguments) const {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes == arguments.end()) return std::nullopt;
    const CLI::App* command = &app;
    for (auto it = arguments.begin(); it != dashes; ++it) {
        if (it->starts_with("-")) {
            // The value of an option is no command, even if it looks like one.
            const CLI::Option* option = it->find('=') == std::string::npos ? option_of(*command, *it) : nullptr;
            if (option != nullptr && option->get_items_expected_min() > 0 && it + 1 != dashes) ++it;
        } else {
            const auto found =
                command->get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == *it; });
            if (!found.empty()) command = found.front();
            if (found.empty() || command->get_subcommands([](const CLI::App*) { return true; }).empty()) break;
        }
    }
    const auto takes = takes_command_.find(command);
    if (takes == takes_command_.end()) return std::nullopt;
    const std::string& flag = takes->second;
    if (!flag.empty() && std::find(arguments.begin(), dashes, flag) == dashes) return std::nullopt;
    std::vector<std::string> out(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    return out;
}

int run_app(std::vector<std::string> arguments) {
    CLI::App app;
    app.name("azlock");
    GlobalFlags flags;
    bool version_wanted = false;
    Commands commands;
    describe_app(app);
    app.add_flag("--version", version_wanted, "Versions of azlock, the API and the libraries")->group("Output");
    add_global_flags(app, flags);
    register_upload(app, commands);
    register_resume(app, commands);
    register_append(app, commands);
    register_verify(app, commands);
    register_download(app, commands);
    register_show(app, commands);
    register_list(app, commands);
    register_delete(app, commands);
    register_cas_update(app, commands);
    register_container(app, commands);
    register_lease(app, commands);
    register_lock(app, commands);
    register_lock_check(app, commands);
    register_elect(app, commands);
    register_watch(app, commands);
    register_completion(app, commands);
    register_queue(app, commands);
    register_doctor(app, commands);
    add_exit_codes(app);
    add_app_footer(app);

    const std::vector<std::string> as_given = arguments;
    const auto after_dashes = commands.cut_command_line(app, arguments);
    const OutputOptions early = early_options(arguments);
    try {
        std::reverse(arguments.begin(), arguments.end());  // the parser takes them from the back
        app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        Output output({});
        return finish(output, output.bytes(as_bytes(app.help())), 0);
    } catch (const CLI::ParseError& error) {
        return finish(Output(early), fail(usage_error(app, error)), 0);
    }

    // The guards of a command that runs a command are forked before there is any thread and any blocked signal.
    std::vector<std::string> command_line = after_dashes.value_or(std::vector<std::string>());
    std::vector<os::Guard> guards;
    if (const Commands::Running* running = commands.running(app)) {
        const Output output({flags.json, flags.quiet});
        auto found = running->command_line(command_line);
        if (!found) return finish(output, fail(found.error()), 0);
        command_line = std::move(*found);
        if (!command_line.empty()) {
            auto forked = os::Guard::fork_many(command_line, running->guards());
            if (!forked) return finish(output, fail(forked.error()), 0, kExitCannotStart);
            guards = std::move(*forked);
        }
    }
    os::SignalStop signals(!guards.empty());
    Context context(flags, signals, guards, std::move(command_line));
    context.set_arguments(as_given);
    if (version_wanted) {
        Output& output = context.output();
        return finish(output, output.json() ? output.object(version_json()) : output.line(version_text()), 0);
    }
    const CommandFunction* command = commands.chosen(app);
    if (command == nullptr) {
        return finish(context.output(), fail(ErrorCode::usage, "no command was given", "see 'azlock --help'"), 0);
    }
    const Status outcome = (*command)(context);
    for (os::Guard& guard : guards) guard.dismiss();
    return finish(context.output(), outcome, signals.received(), context.own_exit_code());
}

}  // namespace azlock::cli
