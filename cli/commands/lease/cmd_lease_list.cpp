// `azlock lease list CONTAINER`: who holds which lease.
#include <functional>
#include <memory>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/commands/lease/lease_metrics.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/list_flags.hpp"
#include "cli/flags/prometheus_flag.hpp"
#include "cli/flags/watch_flag.hpp"
#include "cli/output/list_printer.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/lease/concern.hpp"
#include "ops/lease/list.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    azure::ListOptions list;
    ops::LeaseFilter filter;
    bool containers = false;
    bool prometheus = false;
    std::chrono::milliseconds expected = ops::kExpectedHold;
    ListFlags shown;
    std::string watch;
};

std::vector<Column> columns(bool more) {
    std::vector<Column> out{{"STATE", 9}, {"HELD FOR", 14}};
    if (more) out.insert(out.end(), {{"DURATION", 8}, {"FENCE", 14, true}, {"ETAG", 21}});
    out.insert(out.end(), {{"NAME"}, {"HOLDER", 0, false, "  ", true}});
    return out;
}

Row row(const ops::ListedLease& lease, const Options& o, const Screen& screen) {
    const ops::LeaseView& view = lease.view;
    const auto held = view.held_for();
    Row out{{view.lease.state, held ? format_duration(*held) : "-"}};
    if (o.shown.more) {
        const std::string fence = view.owner.fence ? std::to_string(*view.owner.fence) : "";
        out.cells.insert(out.cells.end(), {view.lease.duration, fence, printable(view.etag)});
    }
    const std::string concern = ops::concern_of(view, o.expected);
    if (!concern.empty()) out.tone = Tone::alarm;
    out.cells.push_back(printable(lease.name));
    out.cells.push_back(screen.terminal ? with_concern(holder_sentence(view), concern) : holder_sentence(view));
    return out;
}

Json json_of(const ops::ListedLease& lease) {
    Json out;
    out["name"] = lease.name;
    out.update(to_json(lease.view));
    return out;
}

// A place whose leases are listed.
struct Place {
    Opened opened;
    ops::LeasePlace kind;
    const Options& o;

    [[nodiscard]] Status each(
        const azure::Call& call, const Ordered<ops::ListedLease>::Take& take,
        const std::function<void()>& count = [] {}) const {
        Ordered<ops::ListedLease> leases(ops::lease_order(o.shown.sort), take);
        const auto visit = [&](const std::string& name, const ops::LeaseView& view) {
            count();
            return leases.add({name, view});
        };
        return ops::list_leases(opened.client(), kind, opened.address, o.list, o.filter, visit, call).and_then([&] {
            return leases.end();
        });
    }
    [[nodiscard]] Result<std::vector<ops::ListedLease>> all(const azure::Call& call) const {
        std::vector<ops::ListedLease> out;
        const auto keep = [&](const ops::ListedLease& lease) -> Status {
            out.push_back(lease);
            return {};
        };
        return each(call, keep).map([&] { return std::move(out); });
    }
};

Result<ops::Sight> look_at(const Place& place, Context& context, const Screen& screen) {
    const auto leases = place.all(context.call());
    if (!leases) return fail(leases.error());
    ops::Sight out;
    std::vector<Row> rows;
    ops::LeaseCounts counts;
    Json each = Json::array();
    for (const ops::ListedLease& lease : *leases) {
        out.state += ops::version_of(lease);
        counts.add(lease.view);
        context.output().json() ? each.push_back(json_of(lease)) : rows.push_back(row(lease, place.o, screen));
    }
    out.text = context.output().json()
                   ? Json{{"seen", format_iso8601(context.clock().wall())}, {"leases", std::move(each)}}.dump()
                   : table(columns(place.o.shown.more), rows, counts.sentence(), screen);
    return out;
}

Status print_numbers(const Place& place, Context& context) {
    auto leases = place.all(context.call());
    if (!leases) return fail(leases.error());
    const bool one = place.kind == ops::LeasePlace::container;
    if (one) {
        for (ops::ListedLease& lease : *leases) lease.name = place.opened.address.container + "/" + lease.name;
    }
    const std::string& account = place.opened.client().endpoint().account;
    return print_metrics(context.output(),
                         lease_metrics(account, one ? place.opened.address.to_string() : "*", *leases));
}

Status print_list(const Place& place, Context& context) {
    Output& output = context.output();
    const Screen screen = stdout_screen(context.color());
    ListPrinter printer(output, columns(place.o.shown.more), screen);
    ops::LeaseCounts counts;
    const auto print = [&](const ops::ListedLease& lease) {
        counts.add(lease.view);
        return output.json() ? output.object(json_of(lease)) : printer.add(row(lease, place.o, screen));
    };
    EntryProgress progress(context, place.o.target, "lease");
    const Status listed = progress.end(place.each(context.call(), print, [&] { progress.count(); }));
    return !listed || output.json() ? listed : printer.end(counts.sentence());
}

Status run(const Options& o, Context& context) {
    const auto kind = ops::lease_place(o.target, o.containers);
    if (!kind) return fail(kind.error());
    context.tune({.impatient = true});
    auto opened = *kind == ops::LeasePlace::container ? context.open(o.target) : context.open_account();
    if (!opened) return fail(opened.error());
    const Place place{std::move(*opened), *kind, o};
    if (o.prometheus) return print_numbers(place, context);
    if (o.watch.empty()) return print_list(place, context);
    return show_live(context, o.watch, [&](const Screen& screen) { return look_at(place, context, screen); });
}

}  // namespace

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
    add_list_flags(*cmd, o->shown, {ops::kLeaseOrders.begin(), ops::kLeaseOrders.end()},
                   "Also duration, fencing token and ETag");
    add_expected_flag(*cmd, o->expected);
    Option* watch = add_watch_flag(*cmd, o->watch);
    add_prometheus_flag(*cmd, o->prometheus)->excludes(watch);
    cmd->footer(
        "Columns: state, held for, name, holder; on a terminal with titles and totals.\n\nExamples:\n"
        "  azlock lease list jobs\n"
        "  azlock lease list jobs --state leased --older-than 1d --json | jq -r .name\n"
        "  azlock lease list jobs --watch --sort held\n"
        "  azlock lease list az://                 # of the whole account\n"
        "  azlock lease list --containers\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
