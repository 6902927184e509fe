#include "ops/queue/find.hpp"

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/worker_pool.hpp"
#include "ops/queue/remains.hpp"

namespace azlock::ops {

Error no_dead_letter(const Queue& queue, const std::string& id) {
    return make_error(ErrorCode::not_found, "there is no dead letter " + printable(id) + " of the queue " +
                                                printable(queue.name.to_string()));
}

Result<QueueTask> find_task(const Queue& queue, const std::string& id, const azure::Call& call) {
    constexpr std::size_t kPriorities = kLeastUrgent + 1;
    std::vector<std::optional<QueueTask>> found(kPriorities);
    auto looked = run_parallel(kPriorities / 2, kPriorities, call.stop, [&](std::size_t i, std::stop_token stop) {
        const azure::BlobAddress blob = queue.name.task(static_cast<int>(i), id);
        const auto head = queue.many.get_properties(blob, {}, {call.deadline, std::move(stop)});
        if (head) {
            found[i] = read_task(queue.name, blob.blob, head->properties);
            if (found[i] && found[i]->moving == Moving::arriving) found[i].reset();
        } else if (head.error().code != ErrorCode::not_found || azure::is_missing_container(head.error())) {
            return Status(fail(head.error()));
        }
        return Status();
    });
    if (!looked) return fail(looked.error());
    for (auto& task : found) {
        if (task && task->moving == Moving::no) return std::move(*task);
    }
    for (auto& task : found) {
        if (!task) continue;
        const auto arrived = has_arrived(queue, *task, call);
        if (!arrived) return fail(arrived.error());
        if (!*arrived) return std::move(*task);
    }
    return fail(ErrorCode::not_found,
                "there is no task " + printable(id) + " in the queue " + printable(queue.name.to_string()),
                "it is finished, or it is among the dead letters: azlock queue list --dead");
}

Result<QueueTask> find_dead_letter(const Queue& queue, const std::string& id, const azure::Call& call) {
    auto found = find_dead_or_left(queue, id, call);
    if (!found) return found;
    const auto arrived = has_arrived(queue, *found, call);
    if (!arrived) return fail(arrived.error());
    return *arrived ? Result<QueueTask>(fail(no_dead_letter(queue, id))) : found;
}

Result<QueueTask> find_dead_or_left(const Queue& queue, const std::string& id, const azure::Call& call) {
    const azure::BlobAddress blob = queue.name.dead_letter(id);
    const auto head = queue.many.get_properties(blob, {}, call);
    if (head) {
        auto found = read_dead_letter(queue.name, blob.blob, head->properties);
        if (found && found->moving != Moving::arriving) return std::move(*found);
    } else if (head.error().code != ErrorCode::not_found || azure::is_missing_container(head.error())) {
        return fail(head.error());
    }
    return fail(no_dead_letter(queue, id));
}

Result<QueueTask> next_task(const Queue& queue, const azure::Call& call) {
    std::optional<QueueTask> found;
    const auto all = for_each_task(queue, {false, "ready"}, call, [&](const QueueTask& task, WallTime) -> Status {
        found = task;
        return fail(ErrorCode::cancelled, "found");
    });
    if (found) return std::move(*found);
    if (!all) return fail(all.error());
    return fail(ErrorCode::not_found, "no task is ready in the queue " + printable(queue.name.to_string()));
}

Status for_each_task(const Queue& queue, const TaskFilter& filter, const azure::Call& call, const TaskVisitor& visit) {
    const bool dead = filter.of_dead_letters();
    const auto read = dead ? read_dead_letter : read_task;
    azure::ListOptions options;
    options.prefix = dead ? queue.name.dead_letters() : queue.name.tasks();
    options.include = "metadata";
    do {
        const auto page = queue.many.list_blobs(queue.name.container, options, call);
        if (!page) return fail(page.error());
        const WallTime now = parse_http_date(page->date).value_or(queue.many.clock().wall());
        for (const azure::ListedBlob& blob : page->blobs) {
            const auto task = read(queue.name, blob.name, blob.properties);
            if (!task || task->moving == Moving::arriving) continue;
            if (!filter.state.empty() && filter.state != to_string(state_of(*task, now))) continue;
            if (!filter.leftovers && task->moving == Moving::left) {
                const auto arrived = has_arrived(queue, *task, call);
                if (!arrived) return fail(arrived.error());
                if (*arrived) continue;
            }
            if (auto ok = visit(*task, now); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Result<std::vector<QueueTask>> list_tasks(const Queue& queue, const TaskFilter& filter, const azure::Call& call) {
    std::vector<QueueTask> out;
    const auto all = for_each_task(queue, filter, call, [&](const QueueTask& task, WallTime) -> Status {
        out.push_back(task);
        return {};
    });
    if (!all) return fail(all.error());
    return out;
}

Less<SeenTask> task_order(std::string_view key) {
    if (key == "age") {
        return [](const SeenTask& a, const SeenTask& b) {
            return a.task.put.value_or(WallTime::max()) < b.task.put.value_or(WallTime::max());
        };
    }
    if (key == "attempts")
        return [](const SeenTask& a, const SeenTask& b) { return a.task.attempts > b.task.attempts; };
    if (key == "state") {
        return [](const SeenTask& a, const SeenTask& b) { return state_of(a.task, a.now) < state_of(b.task, b.now); };
    }
    return {};
}

void QueueCounts::add(const QueueTask& task, WallTime now) {
    switch (state_of(task, now)) {
        case TaskState::ready: ++ready; break;
        case TaskState::delayed: ++delayed; break;
        case TaskState::archived: ++archived; break;
        case TaskState::running: ++running; break;
        case TaskState::dead: ++dead; return;
    }
    if (const auto age = age_of(task, now)) oldest = std::max(oldest.value_or(*age), *age);
}

std::string QueueCounts::sentence(bool of_dead_letters) const {
    if (of_dead_letters) return format_count(dead, "dead letter");
    std::string each;
    const auto name = [&](std::uint64_t count, TaskState state) {
        if (count > 0)
            each += (each.empty() ? ": " : ", ") + std::to_string(count) + " " + std::string(to_string(state));
    };
    name(ready, TaskState::ready);
    name(delayed, TaskState::delayed);
    name(archived, TaskState::archived);
    name(running, TaskState::running);
    return format_count(tasks(), "task") + each;
}

std::string version_of(const QueueCounts& counts) {
    std::string out;
    for (const std::uint64_t count : {counts.ready, counts.delayed, counts.archived, counts.running, counts.dead}) {
        out += std::to_string(count) + " ";
    }
    return out;
}

std::string version_of(const SeenTask& seen) {
    return seen.task.blob.blob + "\n" + std::string(to_string(state_of(seen.task, seen.now))) + "\n" + seen.task.etag +
           "\n";
}

std::string DeadGrowth::seen(std::uint64_t dead) {
    if (!first_) first_ = dead;
    if (dead <= *first_) return {};
    return format_count(dead - *first_, "dead letter") + " more since the first look";
}

Result<QueueCounts> count_tasks(const Queue& queue, const azure::Call& call) {
    QueueCounts out;
    const auto count = [&](const QueueTask& task, WallTime now) -> Status {
        out.add(task, now);
        return {};
    };
    if (auto ok = for_each_task(queue, {}, call, count); !ok) return fail(ok.error());
    if (auto ok = for_each_task(queue, {true}, call, count); !ok) return fail(ok.error());
    return out;
}

Result<std::chrono::nanoseconds> service_clock_ahead(const Queue& queue, const azure::Call& call) {
    azure::ListOptions options;
    options.prefix = queue.name.tasks();
    options.max_results = 1;
    const auto page = queue.many.list_blobs(queue.name.container, options, call);
    if (!page) return fail(page.error());
    const auto date = parse_http_date(page->date);
    if (!date) return fail(ErrorCode::unavailable, "the service's answer has no date that can be read");
    return *date - queue.many.clock().wall();
}

}  // namespace azlock::ops
