// `azlock container create|delete|show CONTAINER`.
#include <memory>

#include "cli/commands/blobs/show_properties.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/container/container.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string container;
    std::vector<std::string> metadata;
    bool if_absent = false;
    ops::DeleteContainer deletion;
    std::string lease_id;
};

Result<Opened> open_container(const Options& o, Context& context) {
    auto opened = context.open(o.container);
    if (opened && !opened->address.is_container()) {
        return fail(ErrorCode::usage, "'" + opened->address.to_string() + "' names a blob, not a container");
    }
    return opened;
}

Status report(Context& context, const std::string& container, const char* key, bool value, const std::string& text) {
    context.output().notice(text);
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", container}, {key, value}});
}

Status create(const Options& o, Context& context) {
    auto metadata = ops::make_metadata(o.metadata);
    if (!metadata) return fail(metadata.error());
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    const std::string& name = opened->address.container;
    const auto made = ops::create_container(opened->client(), name, *metadata, o.if_absent, context.call());
    if (!made) return fail(made.error());
    return report(context, name, "created", *made,
                  *made ? "created container " + name : "container " + name + " existed already");
}

Status remove(const Options& o, Context& context) {
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    const std::string& name = opened->address.container;
    ops::DeleteContainer order = o.deletion;
    order.ask = context.ask();
    const auto deleted = ops::delete_container(opened->client(), name, order, context.call());
    if (!deleted) return fail(deleted.error());
    return report(context, name, "deleted", *deleted,
                  *deleted ? "deleted container " + name : "would delete container " + name + " and all blobs in it");
}

Status show(const Options& o, Context& context) {
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    azure::Conditions conditions;
    conditions.lease_id = o.lease_id;
    return ops::look(opened->client(), opened->address, conditions, {}, shown(context, *opened), context.call());
}

}  // namespace

void register_container(Parser& app, Commands& commands) {
    Parser* group = app.add_subcommand("container", "Create, delete or show a container");
    group->require_subcommand();
    auto o = std::make_shared<Options>();
    const auto add = [&](const char* name, const char* help, Status (*run)(const Options&, Context&)) {
        Parser* cmd = group->add_subcommand(name, help);
        cmd->add_option("CONTAINER", o->container, "Name, az://... or URL")->required();
        commands.add(cmd, [o, run](Context& context) { return run(*o, context); });
        return cmd;
    };
    Parser* creating = add("create", "Create a container", create);
    creating->add_option("--metadata", o->metadata, "Metadata pair; may be repeated")
        ->type_name("NAME=VALUE")
        ->repeated();
    creating->add_flag("--if-absent", o->if_absent, "Succeed if it exists already");

    Parser* deleting = add("delete", "Delete a container and all blobs in it", remove);
    deleting->add_flag("-y,--yes", o->deletion.confirmed, "Do not ask; needed without a terminal");
    deleting->add_flag("--force", o->deletion.force, "Even if leased blobs or locks in use are inside");
    deleting->add_flag("--dry-run", o->deletion.dry_run, "Only say what would be deleted");
    add_lease_id_flag(*deleting, o->deletion.lease_id);

    Parser* showing = add("show", "Show a container's properties, metadata and lease state", show);
    add_lease_id_flag(*showing, o->lease_id);
    group->footer(
        "Examples:\n  azlock container create artifacts --if-absent\n  azlock container delete scratch --yes\n");
}

}  // namespace azlock::cli
