// `azlock lease show TARGET`: the state of a lease, or of a lock with all its slots.
#include <memory>

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/output/table.hpp"
#include "ops/lease/concern.hpp"
#include "ops/lease/list.hpp"
#include "ops/lock/lock_view.hpp"

namespace azlock::cli {
namespace {

struct Options {
    LeaseTarget target;
    std::chrono::milliseconds expected = ops::kExpectedHold;
    std::string watch;
};

Json json_of(const ops::ListedLease& lease) {
    Json out;
    out["target"] = lease.name;
    out.update(to_json(lease.view));
    return out;
}

// `named`: one of several.
std::string lines_of(const ops::ListedLease& lease, bool named, const Options& o, const Screen& screen) {
    std::string out = named ? printable(lease.name) + "\n" : "";
    for (const std::string& line : describe(lease.view, lease.name)) out += line + "\n";
    const std::string concern = ops::concern_of(lease.view, o.expected);
    if (screen.terminal && !concern.empty()) out += in_alarm("attention:         " + concern, screen) + "\n";
    return out;
}

struct Seen {
    std::vector<ops::ListedLease> leases;
    bool named = false;  // a lock with slots
};

// The lease, and those of the other slots of a lock.
Result<Seen> look(const LeaseTarget& target, const Opened& opened, const azure::Call& call) {
    if (target.lock && !target.slot) {
        auto lock = ops::look_at_lock(opened.client(), opened.address, call);
        if (!lock) return fail(lock.error());
        return Seen{std::move(lock->slots), lock->count > 1};
    }
    auto seen = ops::look_at_lease(opened.client(), opened.address, call);
    if (!seen) return fail(not_a_lock(target, seen.error()));
    return Seen{{{opened.address.to_string(), std::move(*seen)}}, false};
}

Result<ops::Sight> look_at(const Options& o, const Opened& opened, Context& context, const Screen& screen) {
    const auto seen = look(o.target, opened, context.call());
    if (!seen) return fail(seen.error());
    ops::Sight out;
    std::string lines;
    Json each = Json::array();
    for (const ops::ListedLease& lease : seen->leases) {
        out.state += ops::version_of(lease);
        lines += lines_of(lease, seen->named, o, screen);
        each.push_back(json_of(lease));
    }
    const Json whole{{"seen", format_iso8601(context.clock().wall())}, {"leases", std::move(each)}};
    out.text = context.output().json() ? whole.dump() : lines;
    return out;
}

Status run(const Options& o, Context& context) {
    const auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    if (!o.watch.empty()) {
        return show_live(context, o.watch, [&](const Screen& screen) { return look_at(o, *opened, context, screen); });
    }
    const auto seen = look(o.target, *opened, context.call());
    if (!seen) return fail(seen.error());
    Output& output = context.output();
    const Screen screen = stdout_screen(context.color());
    for (const ops::ListedLease& lease : seen->leases) {
        const Status printed = output.json() ? output.object(json_of(lease))
                                             : output.bytes(as_bytes(lines_of(lease, seen->named, o, screen)));
        if (!printed) return printed;
    }
    return {};
}

}  // namespace

void register_lease_show(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("show", "Show the state of a lease and who holds it");
    add_lease_target(*cmd, o->target);
    add_expected_flag(*cmd, o->expected);
    add_watch_flag(*cmd, o->watch);
    cmd->footer(
        "Reads azlock's own records, Terraform's and those of WebJobs and Functions.\n\n"
        "Examples:\n  azlock lease show jobs/nightly\n  azlock lease show --lock deploy --watch\n  azlock lease show "
        "tfstate/prod.tfstate --json | jq .foreign\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
