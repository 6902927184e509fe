// `azlock elect NAME -- COMMAND`: a command that is kept running on one of many machines.
#include <csignal>
#include <limits>
#include <memory>

#include "base/quantity.hpp"
#include "base/random.hpp"
#include "cli/commands/lock/elect_observe.hpp"
#include "cli/commands/lock/locked_run.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/term_backoff.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

struct Options {
    LockOptions lock;
    std::optional<std::string> id;
    bool once = false;
    bool observe = false;
};

Result<std::vector<std::string>> command_line(Options& o, const std::vector<std::string>& after_dashes) {
    if (o.observe) {
        if (!after_dashes.empty() || !o.lock.shell_text.empty()) {
            return fail(ErrorCode::usage, "--observe runs no command");
        }
        return std::vector<std::string>();
    }
    // The guard leaves with what is left running, and the next leader would run beside it.
    if (o.lock.orphans == "leave") return fail(ErrorCode::usage, "elect takes --orphans wait or kill, not leave");
    if (o.id) {
        if (o.id->empty()) return fail(ErrorCode::usage, "--id is empty");
        o.lock.owner.push_back("owner=" + *o.id);
    }
    o.lock.no_reentrant = true;     // a candidate does not lead because something around it does
    o.lock.gives_terminal = false;  // ^C ends the candidacy, also where the command makes a good end of it
    if (after_dashes.empty() && o.lock.shell_text.empty()) {
        return fail(ErrorCode::usage, "no command was given",
                    "give it after --, as in 'azlock elect NAME -- COMMAND', or use --observe");
    }
    return lock_command_line(o.lock, after_dashes);
}

// An answer that may be another one later, and nobody has asked us to stop.
bool may_pass(const Error& error, Context& context) {
    return error.code == ErrorCode::unavailable && error.retryable && !context.call().stop.stop_requested() &&
           context.clock().now() < context.call().deadline;
}

// Nothing that comes later can be better: the command cannot be executed, the guard is gone or has processes that it
// could not end, or somebody has asked us to stop.
bool is_final(const LockRound::End& end, Context& context) {
    if (context.signals().asked() != 0 || context.guard().gone() || !end.nothing_left) return true;
    if (!end.held) return !end.error || !may_pass(*end.error, context);
    return end.code && *end.code >= kExitCannotStart && *end.code <= kExitNotFound && end.error.has_value();
}

std::string what_happened(const LockRound::End& end) {
    if (end.error) return end.error->message;
    return "the command ended with code " + std::to_string(end.code.value_or(0)) + " after " + format_duration(end.ran);
}

Status finish(LockRound::End end, Context& context) {
    if (end.code) context.set_exit_code(*end.code);
    if (end.error) return fail(std::move(*end.error));
    return {};
}

// One guard serves all terms: it starts the command again when it has reported that nothing of the last one is left.
// Orders and reports stay in their order, so that none of a term can reach the next one. A new process for each term
// would have to hand over its candidacy; a pool of guards would need a bound.
Status run(const Options& o, Context& context) {
    SystemRandom random;
    ops::TermBackoff backoff(random);
    for (;;) {
        auto round = LockRound::open(o.lock, context);
        if (!round) return fail(round.error());
        const auto retries = context.retries();
        if (!retries) return fail(retries.error());
        ops::WaitPlan plan;
        plan.retries = o.once ? *retries : std::numeric_limits<int>::max();
        LockRound::End end = round->run(plan);
        // From here on a signal is ours again; what came since the command was started counts, too.
        context.signals().hand_over({});
        if (end.interrupted) {
            context.guard().dismiss();
            kill(0, SIGINT);
            os::die_of(SIGINT);
        }
        if (o.once) return finish(std::move(end), context);
        // Whether the signal came a moment before or after the command's end makes no difference to who sent it.
        if (const int asked = context.signals().asked(); asked != 0 && end.held && !end.error) end.code = 128 + asked;
        if (is_final(end, context)) return finish(std::move(end), context);
        const auto pause = backoff.after_term(end.ran, end.lost || !end.held);
        const std::string again =
            pause.count() == 0 ? "at once" : "in " + format_duration(std::chrono::ceil<milliseconds>(pause));
        context.output().notice(what_happened(end) + "; a candidate again " + again);
        if (!context.clock().wait_until(context.clock().after(pause), context.call().stop)) {
            return fail(ErrorCode::cancelled, "stopped by a signal between two terms");
        }
    }
}

}  // namespace

void register_elect(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd = app.add_subcommand("elect", "Keep a command running on one of many machines");
    add_lock_flags(*cmd, o->lock);
    cmd->remove_option(cmd->get_option("--slots"));  // one leader
    auto* id =
        cmd->add_option("--id", o->id, "Who this candidate is, in the record (default: the user)")->type_name("ID");
    auto* once = cmd->add_flag("--once", o->once, "End after the first term, with the command's exit code");
    cmd->add_flag("--observe", o->observe, "Run nothing: a line for each change of the leader, until stopped")
        ->excludes(id)
        ->excludes(once);
    cmd->footer(
        "Examples:\n"
        "  azlock elect scheduler --id \"$HOSTNAME\" -- ./scheduler\n"
        "  azlock elect scheduler --observe --json\n\n"
        "Run it on every machine. The command runs on one of them at a time; when it ends, or its machine does, the\n"
        "candidates begin anew. INT (^C), TERM, HUP and QUIT go to the command, and no term begins after them: 128+N.\n"
        "With --once the exit code is the command's own.\n");
    commands.add_running(
        cmd, [o](const std::vector<std::string>& after_dashes) { return command_line(*o, after_dashes); },
        [o](Context& context) { return o->observe ? observe_leader(o->lock, context) : run(*o, context); });
}

}  // namespace azlock::cli
