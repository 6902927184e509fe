// `azlock lease list CONTAINER`: who holds what, from listings alone.
#include <array>
#include <cstdio>
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kWholeAccount = "az://";

struct Options {
    std::string target;
    azure::ListOptions list;
    std::string state;
    std::optional<std::chrono::milliseconds> older_than;
    bool containers = false;
};

// Without --state everything but what nobody has had.
bool is_wanted(const Options& o, const ops::LeaseView& view) {
    const std::string& state = view.lease.state;
    if (o.state.empty() ? state == "available" || state.empty() : o.state != "all" && o.state != state) return false;
    if (!o.older_than) return true;
    const auto age = view.held_for();
    return age && *age > *o.older_than;
}

std::string row(const std::string& state, const std::string& age, const std::string& name, const std::string& holder) {
    std::array<char, 64> head{};
    std::snprintf(head.data(), head.size(), "%-9s  %-14s  ", state.c_str(), age.c_str());
    return head.data() + printable(name) + (holder.empty() ? "" : "  " + holder);
}

Status print(Output& output, const std::string& name, const ops::LeaseView& view) {
    if (!output.json()) {
        const auto age = view.is_locked() ? view.held_for() : std::nullopt;
        return output.line(row(view.lease.state, age ? format_duration(*age) : "-", name, holder_sentence(view)));
    }
    Json out;
    out["name"] = name;
    out.update(to_json(view));
    return output.object(out);
}

// The leases in one container; `label` goes before each name.
Status list_in(const Options& o, Context& context, const Opened& opened, const std::string& container,
               azure::ListOptions options, const std::string& label) {
    options.include = "metadata,uncommittedblobs";
    do {
        const auto page = opened.client().list_blobs(container, options, context.call());
        if (!page) return fail(page.error());
        const WallTime now = context.clock().wall();
        for (const azure::ListedBlob& blob : page->blobs) {
            const azure::BlobProperties& p = blob.properties;
            const auto view = ops::make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, now);
            if (!is_wanted(o, view)) continue;
            if (auto ok = print(context.output(), label + blob.name, view); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Status list_blobs(const Options& o, Context& context) {
    auto opened = context.open(o.target);
    if (!opened) return fail(opened.error());
    azure::ListOptions options = o.list;
    if (!opened->address.blob.empty() && !options.prefix.empty()) {
        return fail(ErrorCode::usage, "the prefix is given twice: in the target and with --prefix");
    }
    if (options.prefix.empty()) options.prefix = opened->address.blob;
    return list_in(o, context, *opened, opened->address.container, options, {});
}

// The leases of all blobs of the account.
Status list_account(const Options& o, Context& context) {
    auto opened = context.open_account();
    if (!opened) return fail(opened.error());
    azure::ListOptions containers;
    do {
        const auto page = opened->client().list_containers(containers, context.call());
        if (!page) return fail(page.error());
        for (const azure::ListedContainer& container : page->containers) {
            auto ok = list_in(o, context, *opened, container.name, o.list, container.name + "/");
            // One that was deleted meanwhile has no leases.
            if (!ok && ok.error().code != ErrorCode::not_found) return ok;
        }
        containers.marker = page->next_marker;
    } while (!containers.marker.empty());
    return {};
}

Status list_containers(const Options& o, Context& context) {
    if (!o.target.empty()) {
        return fail(ErrorCode::usage, "--containers takes no TARGET", "--prefix tells which containers");
    }
    auto opened = context.open_account();
    if (!opened) return fail(opened.error());
    azure::ListOptions options = o.list;
    options.include = "metadata";
    do {
        const auto page = opened->client().list_containers(options, context.call());
        if (!page) return fail(page.error());
        const WallTime now = context.clock().wall();
        for (const azure::ListedContainer& container : page->containers) {
            const azure::ContainerProperties& p = container.properties;
            const auto view = ops::make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, now);
            if (!is_wanted(o, view)) continue;
            if (auto ok = print(context.output(), container.name, view); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Status run(const Options& o, Context& context) {
    if (o.containers) return list_containers(o, context);
    if (o.target.empty()) return fail(ErrorCode::usage, "name a CONTAINER, az:// for all, or give --containers");
    return o.target == kWholeAccount ? list_account(o, context) : list_blobs(o, context);
}

}  // namespace

void register_lease_list(CLI::App& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd =
        group.add_subcommand("list", "List the leases in a container, or of the containers, and who holds them");
    cmd->add_option("TARGET", o->target, "CONTAINER[/PREFIX], az://... or URL; az:// alone: all containers");
    cmd->add_flag("--containers", o->containers, "The leases of the account's containers themselves");
    cmd->add_option("--prefix", o->list.prefix, "Only names that start with this")->type_name("TEXT");
    cmd->add_option("--state", o->state, "Only in this state, or all (default: all but available)")
        ->type_name("STATE")
        ->check(CLI::IsMember({"leased", "breaking", "broken", "expired", "available", "all"}));
    add_duration(*cmd, "--older-than", o->older_than, "Only what is held for longer, as far as a record tells");
    cmd->add_option("--page-size", o->list.max_results, "Entries asked for per request (default 5000)")
        ->type_name("N")
        ->check(CLI::Range(1, 5000));
    cmd->footer(
        "Columns: state, held for, name, holder.\n\nExamples:\n  azlock lease list jobs\n"
        "  azlock lease list jobs --state leased --older-than 1d --json | jq -r .name\n"
        "  azlock lease list az://                 # of the whole account\n"
        "  azlock lease list --containers\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
