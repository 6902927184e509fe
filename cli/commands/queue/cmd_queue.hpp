// The subcommands of `azlock queue`, and what they share.
#pragma once

#include <functional>
#include <string>

#include "cli/program/command.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

void register_queue_put(CLI::App& group, Commands& commands);
void register_queue_work(CLI::App& group, Commands& commands);
void register_queue_list(CLI::App& group, Commands& commands);  // list, stats
void register_queue_show(CLI::App& group, Commands& commands);  // show, peek
void register_queue_edit(CLI::App& group, Commands& commands);  // retry, delete, kick

CLI::Option* add_queue_target(CLI::App& command, std::string& target);

struct OpenedQueue {
    Opened opened;
    ops::QueueName name;
    [[nodiscard]] azure::BlobClient& client() const { return opened.client(); }
};
// Errors: usage, config, io.
[[nodiscard]] Result<OpenedQueue> open_queue(Context& context, const std::string& target);
// The same, with one attempt for each request.
[[nodiscard]] Result<OpenedQueue> open_queue_single(Context& context, const std::string& target);

// Every task in the order of names, or every dead letter, with the service's time. `visit` may fail to end it.
using TaskVisitor = std::function<Status(const ops::QueueTask& task, WallTime now)>;
[[nodiscard]] Status for_each_task(const OpenedQueue& queue, const azure::Call& call, const TaskVisitor& visit);
[[nodiscard]] Status for_each_dead_letter(const OpenedQueue& queue, const azure::Call& call, const TaskVisitor& visit);

}  // namespace azlock::cli
