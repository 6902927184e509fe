// `azlock queue`: the group of its subcommands.
#include "cli/commands/queue/cmd_queue.hpp"

namespace azlock::cli {

void register_queue(Parser& app, Commands& commands) {
    Parser* group = app.add_subcommand("queue", "A work queue: put tasks, work on them, list and repair them");
    group->require_subcommand();
    register_queue_put(*group, commands);
    register_queue_work(*group, commands);
    register_queue_list(*group, commands);
    register_queue_stats(*group, commands);
    register_queue_show(*group, commands);
    register_queue_edit(*group, commands);
    group->footer(
        "Examples:\n  echo 'movie 17' | azlock queue put jobs/encode\n"
        "  azlock queue work jobs/encode -- ./encode.sh\n"
        "  azlock queue stats jobs/encode\n  azlock queue retry jobs/encode --dead\n");
}

}  // namespace azlock::cli
