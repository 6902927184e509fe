// `azlock queue work QUEUE -- COMMAND`: turns this machine into a worker.
#include <memory>

#include <unistd.h>

#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/commands/queue/worker.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/this_user.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostJobs = 64;

struct Options {
    std::string queue;
    bool loop = false;
    WorkLimits limits;
    std::size_t jobs = 1;
    std::optional<milliseconds> ttl;
    std::optional<milliseconds> kill_after;
    std::uint64_t max_attempts = 5;
    std::optional<milliseconds> poll;
    std::optional<milliseconds> run_timeout;
    std::optional<milliseconds> grace;
    std::string orphans = "wait";
    std::string output_to;
};

Result<std::vector<std::string>> command_line(const std::vector<std::string>& after_dashes) {
    if (after_dashes.empty() || after_dashes.front().empty()) {
        return fail(ErrorCode::usage, "no command was given",
                    "give it after --, as in 'azlock queue work jobs/encode -- ./encode.sh'");
    }
    return after_dashes;
}

Result<std::string> output_prefix(const azure::BlobAddress& address) {
    std::string prefix = address.blob;
    while (prefix.ends_with('/')) prefix.pop_back();
    if (prefix.empty()) return fail(ErrorCode::usage, "--output-to: give it as CONTAINER/PREFIX");
    return prefix;
}

Json to_json(const WorkTotals& totals) {
    Json out;
    out["done"] = totals.done;
    out["given_back"] = totals.given_back;
    out["dead"] = totals.dead;
    out["lost"] = totals.lost;
    return out;
}

Status run(const Options& o, Context& context) {
    const auto timing = ops::make_lock_timing(o.ttl.value_or(ops::kDefaultTtl), o.kill_after);
    if (!timing) return fail(timing.error());
    auto many = open_queue(context, o.queue);
    if (!many) return fail(many.error());
    auto single = open_queue_single(context, o.queue);
    if (!single) return fail(single.error());
    const std::string& command = context.command_line().front();
    WorkPlan plan{{many->client(), single->client()},
                  many->name,
                  *timing,
                  o.orphans == "kill" ? ops::Orphans::kill : ops::Orphans::wait,
                  o.max_attempts,
                  o.run_timeout,
                  this_user(),
                  command,
                  nullptr,
                  {}};
    plan.owner.pid = static_cast<std::uint64_t>(getpid());
    plan.owner.command = command;
    std::optional<Opened> output;
    if (!o.output_to.empty()) {
        auto opened = context.open(o.output_to);
        if (!opened) return fail(opened.error());
        auto prefix = output_prefix(opened->address);
        if (!prefix) return fail(prefix.error());
        output = std::move(*opened);
        plan.output_client = &output->client();
        plan.output = output->address;
        plan.output.blob = std::move(*prefix);
    }
    WorkLimits limits = o.limits;
    limits.poll = o.poll.value_or(limits.poll);
    limits.grace = o.grace.value_or(limits.grace);

    QueueWorker worker(context, plan, limits);
    Status outcome = worker.run();
    const WorkTotals& totals = worker.totals();
    if (context.output().json()) {
        context.output().event(to_json(totals));
    } else {
        context.output().notice(std::to_string(totals.done) + " done, " + std::to_string(totals.given_back) +
                                " given back, " + std::to_string(totals.dead) + " to the dead letters" +
                                (totals.lost > 0 ? ", " + std::to_string(totals.lost) + " lost" : ""));
    }
    if (worker.signal() != 0) context.set_exit_code(128 + worker.signal());
    if (worker.fatal_code()) context.set_exit_code(*worker.fatal_code());
    return outcome;
}

}  // namespace

void register_queue_work(CLI::App& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd =
        group.add_subcommand("work", "Take tasks and run a command for each, its content on standard input");
    add_queue_target(*cmd, o->queue);
    auto* loop = cmd->add_flag("--loop", o->loop, "Go on until stopped (default)");
    cmd->add_flag("--drain", o->limits.drain, "End when no task is ready any more")->excludes(loop);
    cmd->add_option("-n,--tasks", o->limits.tasks, "End after so many tasks")->type_name("N")->excludes(loop);
    cmd->add_option("--jobs", o->jobs, "So many at once (default 1)")
        ->type_name("J")
        ->check(CLI::Range(std::size_t{1}, kMostJobs));
    add_duration(*cmd, "--ttl", o->ttl, "How long a task's lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(*cmd, "--kill-after", o->kill_after, "From TERM to KILL (default a fifth of the ttl, at most 10s)");
    cmd->add_option("--max-attempts", o->max_attempts, "Failures until a task goes to the dead letters (default 5)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
    add_duration(*cmd, "--poll", o->poll, "Longest pause between two looks at a queue without work (default 10s)");
    add_duration(*cmd, "--run-timeout", o->run_timeout, "End the command after this time: a failure of the task");
    add_duration(*cmd, "--grace", o->grace,
                 "After INT, TERM, HUP or QUIT: time for what runs, then it is given back (default 25s)");
    cmd->add_option("--orphans", o->orphans,
                    "What the command started and left running: wait for it (default), kill it")
        ->type_name("wait|kill")
        ->check(CLI::IsMember({"wait", "kill"}));
    cmd->add_option("--output-to", o->output_to, "Upload the command's standard output as a blob ID.ATTEMPT below this")
        ->type_name("PREFIX");
    cmd->footer(
        "Examples:\n"
        "  azlock queue work jobs/encode -- ./encode.sh\n"
        "  azlock queue work jobs/mail --drain --jobs 4 --run-timeout 5m -- sh -c 'sendmail -t'\n"
        "  azlock queue work jobs/report -n 1 --output-to results/report -- ./report\n\n"
        "The command gets AZLOCK_TASK_ID, AZLOCK_ATTEMPT and AZLOCK_LEASE_ID, and says by its exit code:\n"
        "  0   done: the task is deleted        65  to the dead letters at once\n"
        "  75  later: given back with a delay, not counted as a failure\n"
        "  any other, or killed: given back, until --max-attempts\n"
        "The exit code of the worker: 0 nothing left (--drain) or N tasks run (-n), whatever came of them;\n"
        "128+N stopped by signal N; 125 to 127 the command could not be started; 122 a guard was killed.\n");
    commands.add_running(
        cmd, command_line, [o](Context& context) { return run(*o, context); }, [o] { return o->jobs; });
}

}  // namespace azlock::cli
