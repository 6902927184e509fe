#include "ops/queue/list.hpp"

#include "base/http_date.hpp"

namespace azlock::ops {
namespace {

using Reader = std::optional<QueueTask> (*)(const QueueName&, const std::string&, const azure::BlobProperties&);

Status for_each(azure::BlobClient& client, const QueueName& queue, const std::string& prefix, Reader read,
                const azure::Call& call, const TaskVisitor& visit) {
    azure::ListOptions options;
    options.prefix = prefix;
    options.include = "metadata";
    do {
        const auto page = client.list_blobs(queue.container, options, call);
        if (!page) return fail(page.error());
        const WallTime now = parse_http_date(page->date).value_or(client.clock().wall());
        for (const azure::ListedBlob& blob : page->blobs) {
            const auto task = read(queue, blob.name, blob.properties);
            if (!task) continue;
            if (auto ok = visit(*task, now); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

}  // namespace

Status for_each_task(azure::BlobClient& client, const QueueName& queue, const azure::Call& call,
                     const TaskVisitor& visit) {
    return for_each(client, queue, queue.tasks(), read_task, call, visit);
}

Status for_each_dead_letter(azure::BlobClient& client, const QueueName& queue, const azure::Call& call,
                            const TaskVisitor& visit) {
    return for_each(client, queue, queue.dead_letters(), read_dead_letter, call, visit);
}

Result<std::vector<QueueTask>> tasks_in_state(azure::BlobClient& client, const QueueName& queue, TaskState state,
                                              const azure::Call& call) {
    std::vector<QueueTask> out;
    const TaskVisitor take = [&](const QueueTask& task, WallTime now) -> Status {
        if (state_of(task, now) == state) out.push_back(task);
        return {};
    };
    const auto seen = state == TaskState::dead ? for_each_dead_letter(client, queue, call, take)
                                               : for_each_task(client, queue, call, take);
    if (!seen) return fail(seen.error());
    return out;
}

}  // namespace azlock::ops
