#include "cli/commands/lock/run_lock.hpp"

#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "ops/lock/lock_order.hpp"

namespace azlock::cli {
namespace {

Json to_json(const ops::LockStatus& s, std::optional<int> exit_code) {
    Json out;
    out["outcome"] = s.outcome;
    out["name"] = printable(s.name);
    out["url"] = s.url;
    out["slot"] = s.slot;
    out["fence"] = s.fence;
    Json command = nullptr;
    if (s.pid) {
        command = Json::object();
        command["pid"] = *s.pid;
        const os::CommandEnd end = s.command_end.value_or(os::CommandEnd{});
        command["exit_code"] = end.exit_code;
        command["signal"] = end.signal;
    }
    out["command"] = command;
    out["exit_code"] = exit_code;
    out["waited_ms"] = s.waited.count();
    out["held_ms"] = s.held ? Json(s.held->count()) : Json();
    out["reason"] = or_null(printable(s.reason));
    return out;
}

}  // namespace

void add_lock_flags(Parser& cmd, LockOptions& o) {
    ops::LockRequest& request = o.request;
    cmd.add_option("NAME", request.run.name, "Name of the lock (slashes allowed), or az://... or URL of a blob to lock")
        ->required();
    cmd.add_option("--container", o.container, "Container of the locks (default locks)")
        ->type_name("NAME")
        ->envname("AZLOCK_CONTAINER");
    add_duration(cmd, "--ttl", request.ttl, "How long the lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(cmd, "--kill-after", request.kill_after, "From TERM to KILL (default: a fifth of --ttl, at most 10s)");
    cmd.add_option("--slots", request.run.blobs.slots, "How many holders the lock may have at once (default 1)")
        ->type_name("N")
        ->range(std::uint64_t{1}, ops::kMostSlots);
    cmd.add_option("--owner", request.owner_fields,
                   "A field of the record, which shows others who holds the lock; may be repeated")
        ->type_name("KEY=VALUE")
        ->repeated();
    add_duration(cmd, "--run-timeout", request.run.run_timeout,
                 "End the command, and what it has left running, after this time (exit code 124); 0: never");
    cmd.add_option("--on-lost", request.run.on_lost,
                   "Shell command to run after the lock was lost and the command was ended")
        ->type_name("COMMAND");
    cmd.add_option("--orphans", request.orphans,
                   "Processes that still run after the command: wait for them (default), kill them, or let them run "
                   "without the lock")
        ->type_name("wait|kill|leave")
        ->choices({"wait", "kill", "leave"});
    cmd.add_option("-c", o.shell_text, "Run this with /bin/sh -c, instead of -- COMMAND")->type_name("TEXT");
    cmd.add_flag("--no-quarantine", request.no_quarantine,
                 "Do not wait for a former holder who has not said that its command has ended");
}

Result<std::vector<std::string>> lock_command_line(const LockOptions& o, const std::vector<std::string>& after_dashes) {
    const auto words = ops::command_words(o.shell_text, after_dashes);
    return words ? need_command(*words, "azlock lock NAME -- COMMAND") : words;
}

Status run_lock(const LockOptions& o, ops::LockedRunOptions options, Context& context,
                const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go) {
    context.take_time_to_stop(ops::kLockStopTime);
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    const std::string target = ops::lock_target(options.name, o.container);
    auto many = context.open(target);
    if (!many) return fail(many.error());
    auto single = context.open_single(target);
    if (!single) return fail(single.error());
    Output& output = context.output();
    ops::LockOrder order{
        std::move(options),
        {o.busy_code, [&](const Error& error) { return exit_code(error, context.signals().received()); }},
        o.status_file,
        [](const ops::LockStatus& s, std::optional<int> code) { return to_json(s, code).dump(2) + "\n"; },
        [&](const Error& error) { output.error(error); },
        [&](ops::LockedRun& run) { return go(run, *retries); }};
    const auto tell = [&](const std::string& text) { output.notice(text); };
    const auto end = ops::run_lock_order(
        order, many->address,
        {many->client(), single->client(), context.guard(), context.signals(), context.call(), tell, {}, {}});
    if (!end) return fail(end.error());
    context.set_exit_code(ops::exit_code_of(*end, order.codes));
    return end->error ? Status(fail(*end->error)) : Status();
}

}  // namespace azlock::cli
