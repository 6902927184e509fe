// `azlock lock NAME -- COMMAND`: a command that runs on one machine at a time.
#include <csignal>
#include <memory>

#include "cli/commands/lock/locked_run.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"

namespace azlock::cli {
namespace {

Status run(const LockOptions& o, Context& context) {
    auto round = LockRound::open(o, context);
    if (!round) return fail(round.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    ops::WaitPlan plan;
    plan.never = o.never_wait;
    if (o.wait) plan.until = context.clock().after(*o.wait);
    plan.retries = *retries;
    LockRound::End end = round->run(plan);
    if (end.interrupted) {
        // Without us, ^C would have been our group's, too, and a script around us would end by it. (The shell's $? is
        // 130 this way as well.)
        context.guard().dismiss();
        kill(0, SIGINT);
        os::die_of(SIGINT);
    }
    if (end.code) context.set_exit_code(*end.code);
    if (end.error) return fail(std::move(*end.error));
    return {};
}

}  // namespace

void register_lock(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<LockOptions>();
    CLI::App* cmd = app.add_subcommand("lock", "Run a command while holding a lock");
    add_lock_flags(*cmd, *o);
    auto* never = cmd->add_flag("-n,--nonblock", o->never_wait, "Do not wait: fail (75) if somebody else has the lock");
    add_duration(*cmd, "-w,--wait", o->wait, "Wait so long for the lock, then fail (75) (default: for ever)")
        ->excludes(never);
    cmd->add_option("-E,--conflict-exit-code", o->busy_code, "Exit code where the lock is not got, in place of 75")
        ->type_name("CODE")
        ->check(CLI::Range(0, 255));
    cmd->add_option("--status-file", o->status_file, "File that tells as JSON what happened")->type_name("FILE");
    cmd->add_flag("--no-reentrant", o->no_reentrant, "Wait for the lock also where this runs under it already");
    cmd->footer(
        "Examples:\n"
        "  azlock lock deploy -- ./deploy.sh production\n"
        "  azlock lock -n nightly/report --run-timeout 2h -- make report\n"
        "  azlock lock db --slots 4 -w 10m -c 'pg_dump app | gzip > app.sql.gz'\n\n"
        "The exit code is the command's own, 128+N if signal N ended it. Besides:\n"
        "  122  the lock was lost while the command ran; the command was ended\n"
        "  124  --run-timeout    125  the command could not be started    126  it cannot be executed\n"
        "  127  it was not found\n"
        "Before the command starts, the codes below are azlock's own. --status-file tells without ambiguity.\n");
    commands.add_running(
        cmd, [o](const std::vector<std::string>& after_dashes) { return lock_command_line(*o, after_dashes); },
        [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
