// `azlock queue retry`, `kick` and `delete`: repairs by an operator.
#include <memory>

#include "base/text.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "ops/queue/list.hpp"
#include "ops/queue/operator.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string queue;
    std::vector<std::string> ids;
    bool dead = false;
    bool all = false;
    bool dry_run = false;
};

using Change = std::function<Status(const ops::QueueTask&)>;

// Prints the id of each task that was changed. The first error is the outcome; later ones are printed at once.
class Changer {
  public:
    Changer(const Options& options, Context& context, const char* verb, Change change)
        : o_(options), context_(context), verb_(verb), change_(std::move(change)) {}

    Status operator()(const ops::QueueTask& task) {
        if (context_.call().stop.stop_requested()) return fail(stopped_by_signal());
        auto changed = o_.dry_run ? Status() : change_(task);
        if (!changed) {
            if (!failed_) {
                failed_ = changed.error();
            } else {
                context_.output().error(changed.error());
            }
            return {};
        }
        if (!context_.output().json()) return context_.output().line(task.id);
        Json out;
        out["id"] = task.id;
        out[verb_] = !o_.dry_run;
        return context_.output().object(out);
    }
    [[nodiscard]] Status outcome() const { return failed_ ? Status(fail(*failed_)) : Status(); }

  private:
    const Options& o_;
    Context& context_;
    const char* verb_;
    Change change_;
    std::optional<Error> failed_;
};

using Finder = Result<ops::QueueTask> (*)(azure::BlobClient&, const ops::QueueName&, const std::string&,
                                          const azure::Call&);

Status each_named(const Options& o, const OpenedQueue& queue, Finder find, Context& context, Changer& change) {
    std::optional<Error> failed;
    for (const std::string& id : o.ids) {
        const auto task = find(queue.client(), queue.name, id, context.call());
        if (!task) {
            if (task.error().code != ErrorCode::not_found) return fail(task.error());
            if (!failed) failed = task.error();
            continue;
        }
        if (auto ok = change(*task); !ok) return ok;
    }
    auto outcome = change.outcome();
    if (outcome && failed) return fail(*failed);
    return outcome;
}

// All tasks are found before the first one is changed, so that no changed task is found again.
Status each_of(const std::vector<ops::QueueTask>& tasks, Changer& change) {
    for (const ops::QueueTask& task : tasks) {
        if (auto ok = change(task); !ok) return ok;
    }
    return change.outcome();
}

Status check_choice(const Options& o, bool all, const char* flag) {
    if (o.ids.empty() == !all) return fail(ErrorCode::usage, std::string("give either IDs or ") + flag);
    return {};
}

Status retry(const Options& o, Context& context) {
    if (!o.dead && o.ids.empty()) return fail(ErrorCode::usage, "give IDs of dead letters, or --dead for all of them");
    const auto queue = open_queue(context, o.queue);
    if (!queue) return fail(queue.error());
    const auto single = open_queue_single(context, o.queue);
    if (!single) return fail(single.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    http::RetryPolicy policy;
    policy.max_attempts = *retries + 1;
    Changer change(o, context, "retried", [&](const ops::QueueTask& dead) {
        return ops::revive({queue->client(), single->client()}, queue->name, dead, policy, context.call());
    });
    if (!o.ids.empty()) return each_named(o, *queue, ops::find_dead_letter, context, change);
    const auto dead = ops::tasks_in_state(queue->client(), queue->name, ops::TaskState::dead, context.call());
    if (!dead) return fail(dead.error());
    return each_of(*dead, change);
}

Status kick(const Options& o, Context& context) {
    if (auto ok = check_choice(o, o.all, "--all"); !ok) return ok;
    const auto queue = open_queue(context, o.queue);
    if (!queue) return fail(queue.error());
    Changer change(o, context, "kicked", [&](const ops::QueueTask& task) {
        return task.due ? ops::make_ready(queue->client(), task, context.call()) : Status();
    });
    if (!o.all) return each_named(o, *queue, ops::find_task, context, change);
    const auto delayed = ops::tasks_in_state(queue->client(), queue->name, ops::TaskState::delayed, context.call());
    if (!delayed) return fail(delayed.error());
    return each_of(*delayed, change);
}

Status remove(const Options& o, Context& context) {
    if (o.all && !o.dead) {
        return fail(ErrorCode::usage, "--all goes with --dead", "name the tasks of the queue itself by their IDs");
    }
    if (auto ok = check_choice(o, o.all, "--dead --all"); !ok) return ok;
    const auto queue = open_queue(context, o.queue);
    if (!queue) return fail(queue.error());
    Changer change(o, context, "deleted",
                   [&](const ops::QueueTask& task) { return ops::delete_task(queue->client(), task, context.call()); });
    if (!o.all) return each_named(o, *queue, o.dead ? ops::find_dead_letter : ops::find_task, context, change);
    const auto dead = ops::tasks_in_state(queue->client(), queue->name, ops::TaskState::dead, context.call());
    if (!dead) return fail(dead.error());
    return each_of(*dead, change);
}

Parser* add_change(Parser& group, const char* name, const char* help, Options& o) {
    Parser* cmd = group.add_subcommand(name, help);
    add_queue_target(*cmd, o.queue);
    cmd->add_option("ID", o.ids, "Ids of the tasks");
    cmd->add_flag("--dry-run", o.dry_run, "Only print the ids");
    return cmd;
}

}  // namespace

void register_queue_edit(Parser& group, Commands& commands) {
    auto r = std::make_shared<Options>();
    Parser* cmd = add_change(group, "retry", "Put dead letters back into the queue", *r);
    cmd->add_flag("--dead", r->dead, "Put back all dead letters (without IDs)");
    cmd->footer(
        "Prints the ids that were put back.\n\n"
        "Examples:\n  azlock queue retry jobs/encode order-4711\n  azlock queue retry jobs/encode --dead\n");
    commands.add(cmd, [r](Context& context) { return retry(*r, context); });

    auto k = std::make_shared<Options>();
    cmd = add_change(group, "kick", "Make delayed tasks ready now", *k);
    cmd->add_flag("--all", k->all, "All delayed tasks");
    cmd->footer("Examples:\n  azlock queue kick jobs/encode --all\n");
    commands.add(cmd, [k](Context& context) { return kick(*k, context); });

    auto d = std::make_shared<Options>();
    cmd = add_change(group, "delete", "Delete tasks that nobody runs, or dead letters", *d);
    cmd->add_flag("--dead", d->dead, "Delete dead letters, not tasks of the queue");
    cmd->add_flag("--all", d->all, "With --dead: delete all dead letters");
    cmd->footer(
        "A running task is not deleted (exit code 75).\n\n"
        "Examples:\n  azlock queue delete jobs/encode order-4711\n  azlock queue delete jobs/encode --dead --all\n");
    commands.add(cmd, [d](Context& context) { return remove(*d, context); });
}

}  // namespace azlock::cli
