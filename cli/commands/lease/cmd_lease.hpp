// The subcommands of `azlock lease`, one file each.
#pragma once

#include "cli/program/command.hpp"

namespace azlock::cli {

void register_lease_acquire(Parser& group, Commands& commands);
void register_lease_hold(Parser& group, Commands& commands);  // renew, change, release
void register_lease_keep(Parser& group, Commands& commands);
void register_lease_break(Parser& group, Commands& commands);
void register_lease_show(Parser& group, Commands& commands);
void register_lease_list(Parser& group, Commands& commands);

}  // namespace azlock::cli
