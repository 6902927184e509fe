// The subcommands of `azlock queue`, and what they share.
#pragma once

#include <string>

#include "cli/program/command.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

void register_queue_put(Parser& group, Commands& commands);
void register_queue_work(Parser& group, Commands& commands);
void register_queue_list(Parser& group, Commands& commands);  // list, stats
void register_queue_show(Parser& group, Commands& commands);  // show, peek
void register_queue_edit(Parser& group, Commands& commands);  // retry, delete, kick

Option* add_queue_target(Parser& command, std::string& target);

// A queue, with the clients that it refers to.
struct OpenedQueue {
    Opened many;
    Opened single;
    ops::Queue queue;
};
// Errors: usage, config, io.
[[nodiscard]] Result<OpenedQueue> open_queue(Context& context, const std::string& target);

}  // namespace azlock::cli
