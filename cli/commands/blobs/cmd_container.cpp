// `azlock container create|delete|show CONTAINER`.
#include <memory>

#include "azure/refusals.hpp"
#include "cli/commands/blobs/show_properties.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "cli/program/confirm.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string container;
    std::vector<std::string> metadata;
    std::string lease_id;
    bool if_absent = false;
    bool yes = false;
    bool dry_run = false;
};

Result<Opened> open_container(const Options& o, Context& context) {
    auto opened = context.open(o.container);
    if (opened && !opened->address.is_container()) {
        return fail(ErrorCode::usage, "'" + o.container + "' names a blob, not a container");
    }
    return opened;
}

Status report(Context& context, const std::string& container, const char* key, bool value, const std::string& text) {
    context.output().notice(text);
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", container}, {key, value}});
}

Status create(const Options& o, Context& context) {
    auto metadata = read_metadata(o.metadata);
    if (!metadata) return fail(metadata.error());
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    const std::string& name = opened->address.container;
    auto created = opened->client().create_container(name, *metadata, {}, context.call());
    if (!created) {
        if (!o.if_absent || !azure::is_existing_container(created.error())) return created;
        return report(context, name, "created", false, "container " + name + " existed already");
    }
    return report(context, name, "created", true, "created container " + name);
}

// Deleting a container deletes all blobs in it, so a user must confirm it.
Status confirm(const std::string& container, const Options& o, const std::stop_token& stop) {
    if (o.yes) return {};
    if (!can_ask()) {
        return fail(ErrorCode::usage, "deleting container '" + container + "' and all blobs in it needs --yes");
    }
    const auto answer =
        ask("Delete container '" + container + "' and all blobs in it? Type its name to confirm: ", stop);
    if (!answer) return fail(answer.error());
    if (*answer != container) return fail(ErrorCode::usage, "not confirmed; nothing was deleted");
    return {};
}

Status remove(const Options& o, Context& context) {
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    const std::string& name = opened->address.container;
    if (o.dry_run) {
        auto found = opened->client().get_container_properties(name, o.lease_id, context.call());
        if (!found) return fail(found.error());
        return report(context, name, "deleted", false, "would delete container " + name + " and all blobs in it");
    }
    if (auto ok = confirm(name, o, context.call().stop); !ok) return ok;
    azure::Conditions conditions;
    conditions.lease_id = o.lease_id;
    if (auto deleted = opened->client().delete_container(name, conditions, context.call()); !deleted) return deleted;
    return report(context, name, "deleted", true, "deleted container " + name);
}

Status show(const Options& o, Context& context) {
    auto opened = open_container(o, context);
    if (!opened) return fail(opened.error());
    return show_container(context, *opened, o.lease_id);
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
    deleting->add_flag("-y,--yes", o->yes, "Do not ask; needed without a terminal");
    deleting->add_flag("--dry-run", o->dry_run, "Only say what would be deleted");
    add_lease_id_flag(*deleting, o->lease_id);

    Parser* showing = add("show", "Show a container's properties, metadata and lease state", show);
    add_lease_id_flag(*showing, o->lease_id);
    group->footer(
        "Examples:\n  azlock container create artifacts --if-absent\n  azlock container delete scratch --yes\n");
}

}  // namespace azlock::cli
