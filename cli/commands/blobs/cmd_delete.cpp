// `azlock delete BLOB`: deletes a blob if the given conditions hold.
#include <memory>

#include "cli/flags/fence_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string blob;
    std::string snapshots;
    ConditionFlags conditions;
    FenceFlags fence;
    bool dry_run = false;
};

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (!conditions->if_none_match.empty()) {
        return fail(ErrorCode::usage,
                    "--if-none-match does not go with delete: the service would ignore '*' and delete");
    }
    if (auto ok = check_write_conditions(*conditions); !ok) return ok;
    const auto fence = read_fence_flags(o.fence);
    if (!fence) return fail(fence.error());
    const ops::DeleteOptions options{*conditions, o.snapshots, *fence};
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    const azure::BlobAddress& blob = opened->address;
    if (auto ok = opened->must_be_blob(); !ok) {
        return fail(ErrorCode::usage, ok.error().message, "delete a container with 'azlock container delete'");
    }
    if (o.dry_run) {
        const auto seen = ops::look_before_delete(opened->client(), blob, options, context.call());
        if (!seen) return fail(seen.error());
        context.output().notice("would delete " + blob.to_string() + " (" + std::to_string(seen->content_length) +
                                " bytes, ETag " + seen->etag + ")");
    } else {
        auto deleted = ops::delete_blob(opened->client(), blob, options, context.call());
        if (!deleted) return deleted;
        context.output().notice((o.snapshots == "only" ? "deleted the snapshots of " : "deleted ") + blob.to_string());
    }
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", blob.to_string()}, {"deleted", !o.dry_run}});
}

}  // namespace

void register_delete(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("delete", "Delete a blob");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_option("--snapshots", o->snapshots, "What to do about snapshots: include them, or delete only them")
        ->type_name("include|only")
        ->choices({"include", "only"});
    cmd->add_flag("--dry-run", o->dry_run, "Only say what would be deleted");
    add_condition_flags(*cmd, o->conditions);
    add_fence_flags(*cmd, o->fence);
    cmd->footer(
        "Examples:\n  azlock delete artifacts/build.tar.gz\n  azlock delete state/lock.json --if-match \"$etag\"\n"
        "  azlock delete state/current --fence             # in a command of 'azlock lock'\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
