// `azlock lease show TARGET` and `lease list CONTAINER`: who holds which lease.
#include <array>
#include <cstdio>
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/commands/lease/lease_metrics.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/prometheus_flag.hpp"
#include "ops/lease/list.hpp"
#include "ops/lock/lock_name.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    azure::ListOptions list;
    ops::LeaseFilter filter;
    bool containers = false;
    bool prometheus = false;
};

std::string row(const std::string& state, const std::string& age, const std::string& name, const std::string& holder) {
    std::array<char, 64> head{};
    std::snprintf(head.data(), head.size(), "%-9s  %-14s  ", state.c_str(), age.c_str());
    return head.data() + printable(name) + (holder.empty() ? "" : "  " + holder);
}

// `named`: one of several.
Status show(Output& output, const std::string& target, const ops::LeaseView& view, bool named) {
    if (output.json()) {
        Json out;
        out["target"] = target;
        out.update(to_json(view));
        return output.object(out);
    }
    if (named) {
        if (auto ok = output.line(printable(target)); !ok) return ok;
    }
    for (const std::string& line : describe(view, target)) {
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

Status show(const LeaseTarget& target, Context& context) {
    auto opened = open_leasable(context, target);
    if (!opened) return fail(opened.error());
    const auto seen = ops::look_at_lease(opened->client(), opened->address, context.call());
    if (!seen) return fail(not_a_lock(target, seen.error()));
    const std::uint64_t slots = target.lock && !target.slot ? seen->owner.slots.value_or(1) : 1;
    Output& output = context.output();
    if (auto ok = show(output, opened->address.to_string(), *seen, slots > 1); !ok) return ok;
    const ops::LockName lock{opened->address, slots};
    for (std::uint64_t slot = 1; slot < slots; ++slot) {
        const auto other = ops::look_at_lease(opened->client(), lock.slot(slot), context.call());
        if (!other && other.error().code == ErrorCode::not_found) continue;  // nobody has had it yet
        if (!other) return fail(other.error());
        if (auto ok = show(output, lock.slot(slot).to_string(), *other, true); !ok) return ok;
    }
    return {};
}

Status print(Output& output, const std::string& name, const ops::LeaseView& view) {
    if (!output.json()) {
        const auto held = view.held_for();
        return output.line(row(view.lease.state, held ? format_duration(*held) : "-", name, holder_sentence(view)));
    }
    Json out;
    out["name"] = name;
    out.update(to_json(view));
    return output.object(out);
}

Status run(const Options& o, Context& context) {
    const auto place = ops::lease_place(o.target, o.containers);
    if (!place) return fail(place.error());
    context.tune({.impatient = true});
    const auto opened = *place == ops::LeasePlace::container ? context.open(o.target) : context.open_account();
    if (!opened) return fail(opened.error());
    std::vector<ops::ListedLease> listed;
    const std::string within = *place == ops::LeasePlace::container ? opened->address.container + "/" : "";
    const auto visit = [&](const std::string& name, const ops::LeaseView& view) -> Status {
        if (!o.prometheus) return print(context.output(), name, view);
        listed.push_back({within + name, view});
        return {};
    };
    auto done = ops::list_leases(opened->client(), *place, opened->address, o.list, o.filter, visit, context.call());
    if (!done || !o.prometheus) return done;
    const std::string& account = opened->client().endpoint().account;
    return print_metrics(context.output(),
                         lease_metrics(account, within.empty() ? "*" : opened->address.to_string(), listed));
}

}  // namespace

void register_lease_show(Parser& group, Commands& commands) {
    auto target = std::make_shared<LeaseTarget>();
    Parser* cmd = group.add_subcommand("show", "Show the state of a lease and who holds it");
    add_lease_target(*cmd, *target);
    cmd->footer(
        "Reads azlock's own records, Terraform's and those of WebJobs and Functions.\n\n"
        "Examples:\n  azlock lease show jobs/nightly\n  azlock lease show --lock deploy\n  azlock lease show "
        "tfstate/prod.tfstate --json | jq .foreign\n");
    commands.add(cmd, [target](Context& context) { return show(*target, context); });
}

void register_lease_list(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd =
        group.add_subcommand("list", "List the leases in a container, or of the containers, and who holds them");
    cmd->add_option("TARGET", o->target, "CONTAINER[/PREFIX], az://... or URL; az:// alone: all containers");
    cmd->add_flag("--containers", o->containers, "The leases of the account's containers themselves");
    cmd->add_option("--prefix", o->list.prefix, "Only names that start with this")->type_name("TEXT");
    cmd->add_option("--state", o->filter.state, "Only in this state, or all (default: all but available)")
        ->type_name("STATE")
        ->choices({"leased", "breaking", "broken", "expired", "available", "all"});
    add_duration(*cmd, "--older-than", o->filter.older_than, "Only leases held for longer, by their record");
    cmd->add_option("--page-size", o->list.max_results, "Entries asked for per request (default 5000)")
        ->type_name("N")
        ->range(1, 5000);
    add_prometheus_flag(*cmd, o->prometheus);
    cmd->footer(
        "Columns: state, held for, name, holder.\n\nExamples:\n  azlock lease list jobs\n"
        "  azlock lease list jobs --state leased --older-than 1d --json | jq -r .name\n"
        "  azlock lease list az://                 # of the whole account\n"
        "  azlock lease list --containers\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
