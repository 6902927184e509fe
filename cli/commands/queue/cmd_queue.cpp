// `azlock queue`: the group of its subcommands, and what they share.
#include "cli/commands/queue/cmd_queue.hpp"

#include "base/http_date.hpp"

namespace azlock::cli {
namespace {

using Reader = std::optional<ops::QueueTask> (*)(const ops::QueueName&, const std::string&,
                                                 const azure::BlobProperties&);

Status for_each(const OpenedQueue& queue, const std::string& prefix, Reader read, const azure::Call& call,
                const TaskVisitor& visit) {
    azure::ListOptions options;
    options.prefix = prefix;
    options.include = "metadata";
    do {
        const auto page = queue.client().list_blobs(queue.name.container, options, call);
        if (!page) return fail(page.error());
        const WallTime now = parse_http_date(page->date).value_or(queue.client().clock().wall());
        for (const azure::ListedBlob& blob : page->blobs) {
            const auto task = read(queue.name, blob.name, blob.properties);
            if (!task) continue;
            if (auto ok = visit(*task, now); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Result<OpenedQueue> named(Result<Opened> opened) {
    if (!opened) return fail(opened.error());
    auto name = ops::queue_name(opened->address);
    if (!name) return fail(name.error());
    return OpenedQueue{std::move(*opened), std::move(*name)};
}

}  // namespace

CLI::Option* add_queue_target(CLI::App& command, std::string& target) {
    return command.add_option("QUEUE", target, "CONTAINER/PREFIX, az://... or URL")->required();
}

Result<OpenedQueue> open_queue(Context& context, const std::string& target) {
    return named(context.open(target));
}

Result<OpenedQueue> open_queue_single(Context& context, const std::string& target) {
    return named(context.open_single(target));
}

Status for_each_task(const OpenedQueue& queue, const azure::Call& call, const TaskVisitor& visit) {
    return for_each(queue, queue.name.tasks(), ops::read_task, call, visit);
}

Status for_each_dead_letter(const OpenedQueue& queue, const azure::Call& call, const TaskVisitor& visit) {
    return for_each(queue, queue.name.dead_letters(), ops::read_dead_letter, call, visit);
}

void register_queue(CLI::App& app, Commands& commands) {
    CLI::App* group = app.add_subcommand("queue", "A work queue: put tasks, work on them, see and mend what is there");
    group->require_subcommand(1);
    register_queue_put(*group, commands);
    register_queue_work(*group, commands);
    register_queue_list(*group, commands);
    register_queue_show(*group, commands);
    register_queue_edit(*group, commands);
    group->footer(
        "Examples:\n  echo 'movie 17' | azlock queue put jobs/encode\n"
        "  azlock queue work jobs/encode -- ./encode.sh\n"
        "  azlock queue stats jobs/encode\n  azlock queue retry jobs/encode --dead\n");
}

}  // namespace azlock::cli
