// `azlock elect NAME -- COMMAND`: keeps a command running on one of many machines.
#include <memory>

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "cli/commands/lock/run_lock.hpp"
#include "cli/program/command.hpp"
#include "cli/program/this_user.hpp"
#include "ops/lock/election.hpp"
#include "ops/lock/leader_watch.hpp"

namespace azlock::cli {
namespace {

struct Options {
    LockOptions lock;
    std::optional<std::string> id;
    bool once = false;
    bool observe = false;
};

Result<std::vector<std::string>> command_line(const Options& o, const std::vector<std::string>& after_dashes) {
    const bool none = after_dashes.empty() && o.lock.shell_text.empty();
    if (o.observe && none) return std::vector<std::string>();
    if (o.observe) return fail(ErrorCode::usage, "--observe runs no command");
    if (none) {
        return fail(ErrorCode::usage, "no command was given",
                    "give it after --, as in 'azlock elect NAME -- COMMAND', or use --observe");
    }
    return lock_command_line(o.lock, after_dashes);
}

std::string text_of(const ops::Leader& leader) {
    if (!leader) return "nobody";
    if (leader->empty()) return "somebody who left no record";
    std::string out = printable(leader->owner) + "@" + printable(leader->host);
    if (leader->pid) out += " pid " + std::to_string(*leader->pid);
    if (leader->since) out += " since " + format_iso8601(*leader->since);
    if (leader->fence) out += " fence " + std::to_string(*leader->fence);
    return out;
}

Json json_of(const ops::Leader& leader, WallTime seen) {
    Json out;
    out["seen"] = format_iso8601(seen);
    out["leader"] = nullptr;
    if (!leader) return out;
    const auto text = [](const std::string& value) { return or_null(printable(value)); };
    Json who;
    who["owner"] = text(leader->owner);
    who["host"] = text(leader->host);
    who["pid"] = leader->pid;
    who["run"] = text(leader->run);
    who["since"] = date_or_null(leader->since);
    who["fence"] = leader->fence;
    out["leader"] = std::move(who);
    return out;
}

// Prints a line for each change of the leader, until it is stopped or cannot continue.
Status observe(const LockOptions& options, Context& context) {
    const std::string& name = options.request.run.name;
    auto opened = context.open(ops::lock_target(name, options.container));
    if (!opened) return fail(opened.error());
    Output& output = context.output();
    ops::LeaderVisitor visitor;
    visitor.changed = [&](const ops::Leader& leader, WallTime seen) {
        return output.json() ? output.object(json_of(leader, seen)) : output.line(text_of(leader));
    };
    visitor.blind = [&](const Error& error) { output.notice("cannot see who leads: " + error.message); };
    return ops::watch_leader(opened->client(), name, opened->address, visitor, context.call());
}

Status run(const Options& o, Context& context) {
    auto options = ops::make_candidate(o.lock.request, this_run(context.command_line().front()), o.id);
    if (!options) return fail(options.error());
    return run_lock(o.lock, std::move(*options), context,
                    [&](ops::LockedRun& term, int retries) { return ops::run_election(term, o.once, retries); });
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
        [o](Context& context) { return o->observe ? observe(o->lock, context) : run(*o, context); });
}

}  // namespace azlock::cli
