// `azlock lock NAME -- COMMAND`: runs a command under a lock, so that it runs on one machine at a time.
#include <memory>

#include "cli/commands/lock/lock_status.hpp"
#include "cli/commands/lock/run_lock.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/program/command.hpp"
#include "cli/program/this_user.hpp"

namespace azlock::cli {
namespace {

struct Options {
    LockOptions lock;
    bool never_wait = false;
    std::optional<std::chrono::milliseconds> wait;
    bool status = false;
    std::string watch;
};

Result<std::vector<std::string>> command_line(const Options& o, const std::vector<std::string>& after_dashes) {
    if (!o.status && !o.watch.empty()) return fail(ErrorCode::usage, "--watch goes with --status");
    if (!o.status) return lock_command_line(o.lock, after_dashes);
    if (after_dashes.empty() && o.lock.shell_text.empty()) return std::vector<std::string>();
    return fail(ErrorCode::usage, "--status runs no command");
}

Status run(const Options& o, Context& context) {
    auto options = ops::make_locked_run(o.lock.request, this_run(context.command_line().front()));
    if (!options) return fail(options.error());
    return run_lock(o.lock, std::move(*options), context, [&](ops::LockedRun& run, int retries) {
        return run.run(ops::make_wait_plan(o.never_wait, o.wait, retries, context.clock()));
    });
}

}  // namespace

void register_lock(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("lock", "Run a command while holding a lock");
    add_lock_flags(*cmd, o->lock);
    auto* never = cmd->add_flag("-n,--nonblock", o->never_wait, "Do not wait: fail (75) if somebody else has the lock");
    add_duration(*cmd, "-w,--wait", o->wait, "How long to wait for the lock before failing with 75 (default: forever)")
        ->excludes(never);
    cmd->add_option("-E,--conflict-exit-code", o->lock.busy_code,
                    "Exit code if somebody else has the lock, instead of 75; 0: that is no failure")
        ->type_name("CODE")
        ->range(0, 255);
    cmd->add_option("--status-file", o->lock.status_file, "File for a JSON report of the result")->type_name("FILE");
    cmd->add_flag("--no-reentrant", o->lock.request.no_reentrant,
                  "Wait for the lock even if azlock already runs under the same lock");
    cmd->add_flag("--status", o->status, "Run no command; show who holds the lock");
    add_watch_flag(*cmd, o->watch);
    cmd->footer(
        "Examples:\n"
        "  azlock lock deploy -- ./deploy.sh production\n"
        "  azlock lock -n nightly/report --run-timeout 2h -- make report\n"
        "  azlock lock db --slots 4 -w 10m -c 'pg_dump app | gzip > app.sql.gz'\n"
        "  azlock lock deploy --status --watch\n\n"
        "The exit code is the command's own, or 128+N if signal N ended it. The codes below are azlock's own: before\n"
        "the command starts, if the lock was lost (122), and after --run-timeout (124). --status-file tells which "
        "case\n"
        "it is.\n");
    commands.add_running(
        cmd, [o](const std::vector<std::string>& after_dashes) { return command_line(*o, after_dashes); },
        [o](Context& context) { return o->status ? show_lock_status(o->lock, o->watch, context) : run(*o, context); });
}

}  // namespace azlock::cli
