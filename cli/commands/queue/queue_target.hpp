// The operand QUEUE, which all subcommands of `azlock queue` have.
#pragma once

#include <string>

#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/queue/task.hpp"

namespace azlock::cli {

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
