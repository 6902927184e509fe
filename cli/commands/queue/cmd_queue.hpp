// The subcommands of `azlock queue`.
#pragma once

#include "cli/program/command.hpp"

namespace azlock::cli {

void register_queue_put(Parser& group, Commands& commands);
void register_queue_work(Parser& group, Commands& commands);
void register_queue_list(Parser& group, Commands& commands);
void register_queue_stats(Parser& group, Commands& commands);
void register_queue_show(Parser& group, Commands& commands);  // show, peek
void register_queue_edit(Parser& group, Commands& commands);  // retry, delete, kick

}  // namespace azlock::cli
