// `azlock queue work QUEUE -- COMMAND`: turns this machine into a worker.
#include <memory>

#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/queue_target.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/this_user.hpp"
#include "ops/queue/work_request.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostJobs = 64;

struct Options {
    std::string queue;
    bool loop = false;
    ops::WorkRequest request;
    std::size_t jobs = 1;
    std::string output_to;
};

Result<std::vector<std::string>> command_line(const std::vector<std::string>& after_dashes) {
    return need_command(after_dashes, "azlock queue work jobs/encode -- ./encode.sh");
}

Json to_json(const ops::WorkTotals& totals) {
    return Json{{"done", totals.done},
                {"given_back", totals.given_back},
                {"dead", totals.dead},
                {"lost", totals.lost},
                {"refused", totals.refused}};
}

Json to_json(const ops::QueueTask& task, const ops::TaskEnd& end, milliseconds took) {
    return Json{{"task", task.id},
                {"priority", task.priority},
                {"attempt", end.attempt},
                {"outcome", ops::to_string(end.kind)},
                {"exit_code", end.exit_code},
                {"why", end.why ? Json(redact(printable(end.why->message))) : Json()},
                {"seconds", static_cast<double>(took.count()) / 1000}};
}

// Empty if the task itself has been reported already.
std::string text_of(const ops::QueueTask& task, const ops::TaskEnd& end) {
    if (end.fatal) return {};  // the worker's error says it
    const std::string name = "task " + printable(task.id);
    if (end.kind == ops::TaskEnd::Kind::refused) {
        return name + " stays in the queue and is not run: " + redact(printable(end.why->message));
    }
    if (end.kind == ops::TaskEnd::Kind::undeleted) {
        return name + ": " + redact(printable(end.why->message)) + "; " + end.why->hint;
    }
    if (end.kind == ops::TaskEnd::Kind::lost) return name + ": its lease was lost; another worker may have it now";
    if (end.kind == ops::TaskEnd::Kind::unknown) {
        return name + ": the service did not answer; its outcome is not known";
    }
    return {};
}

void print(Output& out, const ops::WorkTotals& totals) {
    if (out.json()) {
        out.event(to_json(totals));
    } else {
        out.notice(std::to_string(totals.done) + " done, " + std::to_string(totals.given_back) + " given back, " +
                   std::to_string(totals.dead) + " to the dead letters" +
                   (totals.lost > 0 ? ", " + std::to_string(totals.lost) + " lost" : "") +
                   (totals.refused > 0 ? ", " + std::to_string(totals.refused) + " refused by the service" : ""));
    }
}

Status run(const Options& o, Context& context) {
    const auto rules = ops::make_work_rules(o.request, this_run(context.command_line().front()));
    if (!rules) return fail(rules.error());
    const auto opened = open_queue(context, o.queue);
    if (!opened) return fail(opened.error());
    ops::WorkPlan plan{*rules, opened->queue};
    std::optional<Opened> outputs;
    if (!o.output_to.empty()) {
        auto target = context.open(o.output_to);
        if (!target) return fail(target.error());
        outputs = std::move(*target);
        const auto place = ops::output_place(opened->queue, outputs->client(), outputs->address);
        if (!place) return fail(place.error());
        plan.output.emplace(*place);
    }
    Output& out = context.output();
    const ops::WorkerParts parts{context.guards(), context.signals(), context.call().deadline,
                                 [&](const std::string& text) { out.notice(text); },
                                 [&](const ops::QueueTask& task, const ops::TaskEnd& end, milliseconds took) {
                                     if (out.json()) return out.event(to_json(task, end, took));
                                     if (const auto text = text_of(task, end); !text.empty()) out.notice(text);
                                 }};
    const ops::WorkResult result = ops::run_worker(plan, o.request.limits, parts);
    print(out, result.totals);
    context.set_exit_code(ops::exit_code_of(
        result, {kExitSomeFailed, [&](const Error& error) { return exit_code(error, context.signals().received()); }}));
    return result.outcome;
}

}  // namespace

void register_queue_work(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("work", "Run a command for each task, with its content on standard input");
    add_queue_target(*cmd, o->queue);
    auto* loop = cmd->add_flag("--loop", o->loop, "Go on until stopped (default)");
    cmd->add_flag("--drain", o->request.limits.drain, "End when no task is ready or running")->excludes(loop);
    cmd->add_flag("--no-wait", o->request.limits.no_wait, "With --drain: do not wait for tasks that others run");
    cmd->add_flag("--delayed", o->request.limits.delayed, "With --drain: wait for delayed tasks, too");
    cmd->add_option("--tasks", o->request.limits.tasks, "End after this many tasks")->type_name("N")->excludes(loop);
    cmd->add_option("-n", o->request.limits.tasks)->hidden()->excludes(loop);
    cmd->add_option("--jobs", o->jobs, "Tasks at once (default 1)")->type_name("J")->range(std::size_t{1}, kMostJobs);
    add_duration(*cmd, "--ttl", o->request.ttl,
                 "How long a task's lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(*cmd, "--kill-after", o->request.kill_after,
                 "From TERM to KILL (default: a fifth of --ttl, at most 10s)");
    cmd->add_option("--max-attempts", o->request.rules.max_attempts,
                    "Failures before a task goes to the dead letters (default 5)")
        ->type_name("N")
        ->range(std::uint64_t{1}, std::uint64_t{1'000'000});
    add_duration(*cmd, "--retry-delay", o->request.rules.retry_delay,
                 "Pause after the first failure of a task, doubled each time up to 5m (default 1s)");
    add_duration(*cmd, "--poll", o->request.limits.poll,
                 "Longest pause between two checks of an idle queue (default 10s)");
    add_duration(*cmd, "--run-timeout", o->request.rules.run_timeout,
                 "End the command after this time, which counts as a failure; 0: never");
    add_duration(*cmd, "--grace", o->request.limits.grace,
                 "After INT, TERM, HUP or QUIT: time for running tasks before they are given back (default 25s)");
    cmd->add_option("--orphans", o->request.orphans,
                    "Processes that the command leaves running: wait for them (default) or kill them")
        ->type_name("wait|kill")
        ->choices({"wait", "kill"});
    cmd->add_option("--output-to", o->output_to, "Upload the command's standard output as the blob PREFIX/ID.ATTEMPT")
        ->type_name("PREFIX");
    cmd->footer(
        "Examples:\n"
        "  azlock queue work jobs/encode -- ./encode.sh\n"
        "  azlock queue work jobs/mail --drain --jobs 4 -- sh -c 'sendmail -t'\n"
        "  azlock queue work jobs/report --tasks 1 --output-to results/report -- ./report\n\n"
        "The command gets AZLOCK_TASK_ID, AZLOCK_ATTEMPT and AZLOCK_LEASE_ID. Its exit code decides about the task:\n"
        "  0   done: the task is deleted        65  to the dead letters at once\n"
        "  75  later: given back with a delay, not counted as a failure\n"
        "  any other, or killed: given back, until --max-attempts\n"
        "The exit code of the worker is 0 if nothing is left (--drain) or N tasks were run (--tasks); 123 if some of\n"
        "these became dead letters, or if the service refused to hand out a task or to delete it; 128+N if signal N\n"
        "stopped it; 125 to 127 if the command could not be started; 122 if a guard was killed.\n");
    commands.add_running(
        cmd, command_line, [o](Context& context) { return run(*o, context); }, [o] { return o->jobs; });
}

}  // namespace azlock::cli
