// `azlock list [CONTAINER[/PREFIX]]`: lists the blobs of a container, or the account's containers.
#include <array>
#include <cstdio>
#include <memory>

#include "base/text.hpp"
#include "cli/output/describe_blob.hpp"
#include "cli/program/command.hpp"
#include "ops/read/list.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    azure::ListOptions list;
    bool uncommitted = false;
};

std::string row(const std::string& size, const std::string& date, const std::string& lease, const std::string& name) {
    std::array<char, 96> head{};
    std::snprintf(head.data(), head.size(), "%15s  %-20s  %-9s  ", size.c_str(), date.c_str(), lease.c_str());
    return head.data() + printable(name);
}

// Empty for a lease that nobody has, as most are.
std::string lease_column(const azure::LeaseInfo& lease) {
    return lease.state == "available" ? "" : lease.state;
}

Status print_blob(Output& output, const azure::ListedBlob& blob) {
    const azure::BlobProperties& p = blob.properties;
    if (!output.json()) {
        return output.line(row(blob.uncommitted_only ? "staged" : std::to_string(p.content_length),
                               short_date(p.last_modified), lease_column(p.lease), blob.name));
    }
    Json out;
    out["name"] = blob.name;
    if (!blob.snapshot.empty()) out["snapshot"] = blob.snapshot;
    if (blob.uncommitted_only) out["uncommitted"] = true;
    out.update(to_json(p));
    return output.object(out);
}

Status print_prefix(Output& output, const std::string& prefix) {
    if (!output.json()) return output.line(row("", "", "", prefix));
    return output.object(Json{{"prefix", prefix}});
}

Status print_container(Output& output, const azure::ListedContainer& container) {
    const azure::ContainerProperties& p = container.properties;
    if (!output.json()) return output.line(row("", short_date(p.last_modified), lease_column(p.lease), container.name));
    Json out;
    out["name"] = container.name;
    out.update(to_json(p));
    return output.object(out);
}

Status list_blobs(const Options& o, Context& context) {
    auto opened = context.open_prefix(o.target);
    if (!opened) return fail(opened.error());
    Output& output = context.output();
    return ops::list_blobs(
        opened->client(), opened->address, o.list, o.uncommitted,
        [&](const std::string& prefix) { return print_prefix(output, prefix); },
        [&](const azure::ListedBlob& blob) { return print_blob(output, blob); }, context.call());
}

Status list_containers(const Options& o, Context& context) {
    auto opened = context.open_account();
    if (!opened) return fail(opened.error());
    return ops::list_containers(
        opened->client(), o.list, o.uncommitted,
        [&](const azure::ListedContainer& container) { return print_container(context.output(), container); },
        context.call());
}

}  // namespace

void register_list(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("list", "List the blobs of a container, or the account's containers");
    cmd->add_option("TARGET", o->target, "CONTAINER[/PREFIX], az://... or URL (default: all containers)");
    cmd->add_option("--prefix", o->list.prefix, "Only names that start with this")->type_name("TEXT");
    cmd->add_option("--delimiter", o->list.delimiter, "Fold names at this text (usually /) into prefixes")
        ->type_name("TEXT");
    cmd->add_option("--page-size", o->list.max_results, "Entries asked for per request (default 5000)")
        ->type_name("N")
        ->range(1, 5000);
    cmd->add_flag("--uncommitted", o->uncommitted, "Also list blobs that have only staged blocks");
    cmd->footer(
        "Columns: size in bytes, last modified, lease state unless available, name.\n\nExamples:\n"
        "  azlock list artifacts/2026/ --delimiter /\n  azlock list artifacts --json | jq -r 'select(.size > "
        "1e9).name'\n");
    commands.add(cmd, [o](Context& context) {
        return o->target.empty() ? list_containers(*o, context) : list_blobs(*o, context);
    });
}

}  // namespace azlock::cli
