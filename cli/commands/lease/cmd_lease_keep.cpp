// `azlock lease keep TARGET`: renews a lease until told to stop, for scripts that cannot run under `azlock lock`.
#include <memory>

#include "base/quantity.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/output/exit_code.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/keep.hpp"
#include "ops/lease/sas_limits.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    std::string lease_id;
    std::string duration;
    bool no_release = false;
};

Status run(const Options& o, Context& context) {
    const auto id = read_holder_id(o.lease_id);
    if (!id) return fail(id.error());
    ops::KeepUntilToldOptions options;
    options.keep.lease_id = *id;
    options.release = !o.no_release;
    if (!o.duration.empty()) {
        const auto given = read_lease_duration(o.duration);
        if (!given) return fail(given.error());
        options.duration = *given;
    }
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    const std::string target = opened->address.to_string();
    Output& output = context.output();
    options.keep.holding = [&](const ops::KeepOptions& keep) {
        output.notice("keeping the lease of " + target +
                      (keep.infinite ? " (infinite)" : ", " + format_duration(keep.ttl) + " at a time"));
        const std::string early = ops::describe_early_end(opened->client().credential(), context.clock().wall());
        if (!early.empty()) output.notice(early + ": the lease cannot be renewed after that");
    };
    context.take_time_to_stop(ops::kLeaseStopTime);
    const auto kept = ops::keep_until_told(opened->client(), opened->address, options, context.call());
    if (!kept) return fail(kept.error());
    if (kept->lost) return fail(*kept->lost);
    if (kept->not_released) {
        context.set_exit_code(exit_code(*kept->not_released, 0));
        return fail(*kept->not_released);
    }
    output.notice((o.no_release ? "no longer keeping the lease of " : "released the lease of ") + target);
    if (!output.json()) return {};
    return output.object(
        Json{{"target", target}, {"lease_id", *id}, {"renewals", kept->renewals}, {"released", !o.no_release}});
}

}  // namespace

void register_lease_keep(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("keep", "Renew a lease until told to stop (TERM, INT), then release it");
    add_lease_target(*cmd, o->target);
    add_holder_id(*cmd, o->lease_id);
    cmd->add_option("--duration", o->duration,
                    "Duration with which it was acquired (default: infinite if it is infinite now, else 15s)")
        ->type_name("DUR");
    cmd->add_flag("--no-release", o->no_release, "Leave the lease as it is at the end");
    cmd->footer(
        "The exit code is 0 if it was told to stop, and 122 if the lease is lost. A script that works under the\n"
        "lease must watch for that; 'azlock lock' ends its command itself.\n\n"
        "Example:\n  azlock lease keep jobs/nightly --lease-id \"$id\" & keeper=$!\n  ...\n  kill $keeper; wait "
        "$keeper\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
