#include "cli/app.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>

#include <unistd.h>

#include "azure/refusals.hpp"
#include "base/system_limit.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/color.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/program/show_help.hpp"
#include "cli/program/unexpected.hpp"
#include "cli/program/version.hpp"
#include "cli/program/words.hpp"
#include "os/signals.hpp"

namespace azlock::cli {
namespace {

void register_commands(Parser& app, Commands& commands) {
    using Register = void (*)(Parser&, Commands&);
    struct Group {
        const char* heading;
        std::vector<Register> commands;
    };
    const Group groups[] = {
        {"Transfer",
         {register_upload, register_resume, register_append, register_download, register_verify, register_delete}},
        {"Read", {register_list, register_show, register_watch}},
        {"Coordinate", {register_lock, register_lock_check, register_elect, register_cas_update}},
        {"Queue", {register_queue}},
        {"Leases", {register_lease}},
        {"Setup",
         {register_container, register_sas, register_doctor, register_completion, register_help, register_version}},
    };
    for (const Group& group : groups) {
        app.head_commands(group.heading);
        for (const Register add : group.commands) add(app, commands);
    }
    app.footer(
        "Examples:\n"
        "  export AZURE_STORAGE_CONNECTION_STRING=...\n"
        "  azlock upload build.tar.gz artifacts/build.tar.gz --create-container\n"
        "  azlock download artifacts/build.tar.gz copy.tar.gz\n"
        "  azlock lock deploy -- ./deploy.sh production\n");
}

int finish(const Output& output, const StatusFile& status, const Status& outcome, int signal = 0,
           std::optional<int> own_code = {}) {
    if (outcome) return own_code.value_or(0);
    Error error = outcome.error();
    const bool reader_gone = error.code == ErrorCode::io && os::reader_is_gone(STDOUT_FILENO);
    // A signal ended the wait for the answer, so the outcome is not known: report
    // the signal.
    if (signal != 0 && !own_code && !error.lost && error.code == ErrorCode::unavailable)
        error.code = ErrorCode::cancelled;
    const int code = own_code.value_or(exit_code(error, signal));
    status.end(error, reader_gone ? 128 + SIGPIPE : code);
    if (reader_gone) os::die_of(SIGPIPE);
    output.error(error);
    return code;
}

// The end of a command that was started.
int finish(Context& context, const Status& outcome, int signal) {
    const Output& output = context.output();
    if (!outcome) context.wire().ends_with(outcome.error());
    const bool untold = output.untold() || context.status_file().failed();
    if (outcome || !untold || !context.wire().changed()) {
        return finish(output, context.status_file(), outcome, signal, context.own_exit_code());
    }
    output.error_after_change(outcome.error());
    return kExitUntold;
}

// A flag that helps is named if this command has it.
Status with_own_flag(Status outcome, const Parser& command) {
    if (outcome || !azure::is_missing_container(outcome.error())) return outcome;
    if (command.find_option("--create-container")) outcome.error().hint = "check its name; --create-container makes it";
    return outcome;
}

// Nothing is changed if the result could not be printed.
Status check_output(const Commands& commands, const Parser& command, const Output& output) {
    const bool prints = commands.prints_result(command) || (output.json() && commands.running(command) == nullptr);
    return prints ? output.ready() : Status();
}

// With --json each line of the guard is an object, too. It cannot see whether the command has ended its line.
os::GuardWords guard_words(bool json) {
    if (!json) return {};
    const auto line = [](const char* why, const char* message) {
        return "\n" + Json{{"event", "guard_ends_command"}, {"why", why}, {"message", message}}.dump() + "\n";
    };
    return {line("azlock_gone", "the process that keeps the lock is gone; its guard ends the command"),
            line("azlock_stopped", "azlock is stopped, so it cannot renew the lease; its guard ends the command")};
}

// --json and --color, read before the arguments are parsed: a usage error needs them.
// (--quiet does not silence errors.)
OutputOptions early_options(const std::vector<std::string>& arguments) {
    const auto given = [&](const char* flag) {
        return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
    };
    std::string_view when = given("--color=never") ? "never" : given("--color=always") ? "always" : "auto";
    const auto flag = std::find(arguments.begin(), arguments.end(), "--color");
    if (flag != arguments.end() && flag + 1 != arguments.end()) when = *(flag + 1);
    return {given("--json"), false, use_color(when, STDERR_FILENO)};
}

// -h is short, --help is long.
HelpLength wanted_length(const std::vector<std::string>& words) {
    const bool full = std::find(words.begin(), words.end(), "--help") != words.end();
    return full ? HelpLength::full : HelpLength::brief;
}

// `status`: the file of --status-file, as soon as it is known.
int run_arguments(const Surroundings& surroundings, std::vector<std::string> arguments, StatusFile& status) {
    Parser app("azlock",
               "azlock: uploads, leases and locks on Azure Blob Storage that stay right when things go wrong");
    GlobalFlags flags;
    bool version_wanted = false;
    Commands commands;
    app.add_flag("-V,--version", version_wanted, "Versions of azlock, the API and the libraries")->group("Output");
    add_global_flags(app, flags);
    register_commands(app, commands);

    const std::vector<std::string> as_given = arguments;
    const auto after_dashes = commands.cut_command_line(app, arguments);
    const OutputOptions early = early_options(arguments);
    bool refused_place = false;
    const auto parsed = separate_empty_values(app, arguments).and_then([&](const std::vector<std::string>& words) {
        return app.parse(words, &refused_place);
    });
    const bool nothing_given = arguments.empty() && !after_dashes;
    if (nothing_given || (parsed && *parsed == Parser::Parsed::help)) {
        Output output({});
        const std::string color = value_given(app, arguments, "--color").value_or(flags.color);
        return finish(output, {}, show_help(output, app, commands, arguments, wanted_length(arguments), color));
    }
    auto begun = StatusFile::begin(value_given(app, arguments, "--status-file").value_or(""));
    if (begun) status = *begun;
    if (!parsed) {
        const bool has_dashes = after_dashes.has_value();
        const Error error =
            refused_place ? explain_refusal(app, commands, arguments, has_dashes, parsed.error()) : parsed.error();
        return finish(Output(early), status, fail(error));
    }
    if (!begun) return finish(Output(early), status, fail(begun.error()));

    const Parser& chosen = app.chosen();
    // The guards are forked before any thread is started and any signal is
    // blocked.
    std::vector<std::string> command_line = after_dashes.value_or(std::vector<std::string>());
    std::vector<os::Guard> guards;
    if (const Commands::Running* running = commands.running(chosen)) {
        const Output output({flags.json, flags.quiet, use_color(flags.color, STDERR_FILENO)});
        auto found = running->command_line(command_line);
        if (!found) return finish(output, status, fail(found.error()));
        command_line = std::move(*found);
        if (!command_line.empty()) {
            auto forked = os::Guard::fork_many(command_line, running->guards(), guard_words(flags.json));
            if (!forked) {
                const bool limit = forked.error().code == ErrorCode::io;
                return finish(output, status, fail(forked.error()), 0,
                              limit ? std::nullopt : std::optional(kExitCannotStart));
            }
            guards = std::move(*forked);
        }
    }
    os::SignalStop signals(!guards.empty());
    Context context(surroundings, flags, signals, guards, std::move(command_line));
    context.set_arguments(as_given);
    context.status_file() = status;
    if (version_wanted) return finish(context, show_version(context.output()), 0);
    const CommandFunction* command = commands.function(chosen);
    if (command == nullptr) {
        return finish(context, fail(ErrorCode::usage, "no command was given", "see 'azlock --help'"), 0);
    }
    Status outcome = check_output(commands, chosen, context.output());
    if (outcome) outcome = (*command)(context);
    for (os::Guard& guard : guards) guard.dismiss();
    return finish(context, with_own_flag(std::move(outcome), chosen), signals.received());
}

OutputOptions at_a_limit;

// The limit that ends the process; nullopt: it ends for another reason.
std::optional<Error> limit_at_the_end() {
    try {
        if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        return limit_error(exception);
    } catch (...) {
        return std::nullopt;
    }
    // If the library has no memory to handle an exception, it drops it and ends the process.
    return is_memory_limited() ? std::optional(limit_error(SystemLimit::memory)) : std::nullopt;
}

// A thread of the HTTP library may get no memory, and nobody else can catch what it throws.
[[noreturn]] void end_at_a_limit() {
    static std::atomic_flag begun;
    if (begun.test_and_set()) std::abort();
    try {
        if (const auto limit = limit_at_the_end()) {
            Output(at_a_limit).error(*limit);
            _exit(exit_code(*limit, 0));
        }
    } catch (...) {
        // Not even the message fits.
        constexpr std::string_view kText =
            "azlock: the system gives azlock no more memory; raise the limit (ulimit -v)\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
        Error io;
        io.code = ErrorCode::io;
        _exit(exit_code(io, 0));
    }
    std::abort();
}

}  // namespace

void tell_limits_of_other_threads(const std::vector<std::string>& arguments) {
    at_a_limit = early_options(arguments);
    std::set_terminate(end_at_a_limit);
}

int run_app(const Surroundings& surroundings, std::vector<std::string> arguments) {
    const OutputOptions early = early_options(arguments);
    StatusFile status;
    try {
        return run_arguments(surroundings, std::move(arguments), status);
    } catch (const std::exception& thrown) {
        const auto limit = limit_error(thrown);
        if (!limit) throw;
        return finish(Output(early), status, fail(*limit));
    }
}

}  // namespace azlock::cli
