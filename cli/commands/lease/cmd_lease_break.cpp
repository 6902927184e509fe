// `azlock lease break TARGET`: breaks a lease, or all leases under a prefix, and says who held them.
#include <memory>

#include "base/name_value.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/flags/flags.hpp"
#include "ops/lease/break_leases.hpp"

namespace azlock::cli {
namespace {

struct Options {
    LeaseTarget target;
    std::string period = "auto";
    std::vector<std::string> if_owner;
    ops::BreakOrder order;
};

Result<ops::BreakOrder> read_order(const Options& o) {
    ops::BreakOrder out = o.order;
    auto period = read_break_period(o.period);
    if (!period) return fail(period.error());
    out.each.period = *period;
    for (const std::string& pair : o.if_owner) {
        auto field = read_pair("--if-owner", pair, "KEY=VALUE");
        if (!field) return fail(field.error());
        out.each.conditions.owner.push_back(std::move(*field));
    }
    return out;
}

Status print(Output& output, const std::string& target, const Result<ops::BreakReport>& report) {
    if (output.json()) return output.object(break_json(target, report));
    return output.line(report ? ops::describe_break(target, *report)
                              : printable(target) + ": failed, " + report.error().message);
}

Status run(const Options& o, Context& context) {
    auto order = read_order(o);
    if (!order) return fail(order.error());
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    Output& output = context.output();
    order->ask = context.ask();
    order->tell = [&](const std::string& text) { output.notice(text); };
    order->done = [&](const azure::BlobAddress& target, const Result<ops::BreakReport>& report) {
        return print(output, target.to_string(), report);
    };
    const auto done = ops::break_leases(opened->client(), opened->address, *order, context.call());
    return done ? done : fail(not_a_lock(o.target, done.error()));
}

}  // namespace

void register_lease_break(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    ops::BreakOrder& order = o->order;
    ops::BreakOptions& each = order.each;
    Parser* cmd = group.add_subcommand("break", "Break a lease (by default not at once), and say who held it");
    Option* lock = add_lease_target(*cmd, o->target);
    cmd->add_option("--period", o->period,
                    "Break period, 0 to 60 seconds, or auto: the time that the holder's record asks for, else the rest "
                    "of a finite lease, else 0 (default auto)")
        ->type_name("DUR|auto");
    const auto condition = [](Option* option) { option->group("Conditions"); };
    condition(
        cmd->add_option("--if-owner", o->if_owner,
                        "Only if the record has this (owner, host, pid, command, run or another key); may be repeated")
            ->type_name("KEY=VALUE")
            ->repeated());
    condition(cmd->add_option("--if-fence", each.conditions.fence, "Only if the record has this fencing token")
                  ->type_name("N"));
    condition(add_duration(*cmd, "--older-than", each.conditions.older_than,
                           "Only if the record says that the holder has had the lease for longer"));
    cmd->add_option("--prefix", order.prefix, "All leased blobs of the container whose names start with this")
        ->type_name("TEXT")
        ->excludes(lock);
    cmd->add_flag("--holder-is-dead", each.holder_is_dead,
                  "Break at once and mark the record, so that the next lock need not wait for the holder; this writes "
                  "the blob's metadata");
    cmd->add_flag("--must-be-leased", each.must_be_leased, "End with exit code 73, not 0, if nobody holds it");
    cmd->add_flag("--until-free", order.wait, "Wait until it is free");
    cmd->add_flag("--wait", order.wait)->hidden();
    cmd->add_flag("--dry-run", each.dry_run, "Only say what would be broken");
    cmd->add_flag("-y,--yes", order.confirmed, "Do not ask; with --prefix needed without a terminal");
    cmd->footer(
        "With a condition (or --holder-is-dead) only the lease whose record was read is broken, never a later one.\n\n"
        "Examples:\n  azlock lease break jobs/nightly --dry-run\n  azlock lease break jobs/nightly --until-free\n"
        "  azlock lease break jobs --prefix team-a/ --if-owner host=ci-7 --yes\n");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
