// `azlock lease`: the group of its subcommands.
#include "cli/commands/lease/cmd_lease.hpp"

namespace azlock::cli {

void register_lease(Parser& app, Commands& commands) {
    Parser* group = app.add_subcommand("lease", "Take, keep and end leases; see who holds what");
    group->require_subcommand();
    register_lease_acquire(*group, commands);
    register_lease_hold(*group, commands);
    register_lease_keep(*group, commands);
    register_lease_break(*group, commands);
    register_lease_show(*group, commands);
    register_lease_list(*group, commands);
    group->footer(
        "Examples:\n  id=$(azlock lease acquire jobs/nightly --create --wait 5m)\n"
        "  azlock lease show jobs/nightly\n  azlock lease list jobs\n  azlock lease break jobs/nightly\n");
}

}  // namespace azlock::cli
