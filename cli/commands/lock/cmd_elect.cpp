// `azlock elect NAME -- COMMAND`: keeps a command running on one of many machines.
#include <limits>
#include <memory>

#include "cli/commands/lock/elect_observe.hpp"
#include "cli/commands/lock/run_lock.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/election.hpp"

namespace azlock::cli {
namespace {

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
    // With "leave", processes of this term would still run during the term of the next leader.
    if (o.lock.orphans == "leave") return fail(ErrorCode::usage, "elect takes --orphans wait or kill, not leave");
    if (o.id) {
        if (o.id->empty()) return fail(ErrorCode::usage, "--id is empty");
        o.lock.owner.push_back("owner=" + *o.id);
    }
    o.lock.no_reentrant = true;     // a lock around this command does not make it the leader
    o.lock.gives_terminal = false;  // ^C ends the candidacy, even if the command exits normally
    if (after_dashes.empty() && o.lock.shell_text.empty()) {
        return fail(ErrorCode::usage, "no command was given",
                    "give it after --, as in 'azlock elect NAME -- COMMAND', or use --observe");
    }
    return lock_command_line(o.lock, after_dashes);
}

Status run(const Options& o, Context& context) {
    return run_lock(o.lock, context, [&](ops::LockedRun& term, int retries) {
        ops::WaitPlan plan;
        plan.retries = o.once ? retries : std::numeric_limits<int>::max();
        return o.once ? term.run(plan) : ops::run_election(term, plan);
    });
}

}  // namespace

void register_elect(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("elect", "Keep a command running on one of many machines");
    add_lock_flags(*cmd, o->lock);
    cmd->remove_option("--slots");  // one leader
    auto* id =
        cmd->add_option("--id", o->id, "Name of this candidate in the record (default: the user)")->type_name("ID");
    auto* once = cmd->add_flag("--once", o->once, "End after the first term, with the command's exit code");
    cmd->add_flag("--observe", o->observe, "Run no command; print a line for each change of the leader, until stopped")
        ->excludes(id)
        ->excludes(once);
    cmd->footer(
        "Examples:\n"
        "  azlock elect scheduler --id \"$HOSTNAME\" -- ./scheduler\n"
        "  azlock elect scheduler --observe --json\n\n"
        "Run it on every machine. The command runs on one of them at a time. When the command or its machine ends,\n"
        "the candidates compete again. INT (^C), TERM, HUP and QUIT go to the command; then no new term begins, and\n"
        "the exit code is 128+N. With --once the exit code is the command's own.\n");
    commands.add_running(
        cmd, [o](const std::vector<std::string>& after_dashes) { return command_line(*o, after_dashes); },
        [o](Context& context) { return o->observe ? observe_leader(o->lock, context) : run(*o, context); });
}

}  // namespace azlock::cli
