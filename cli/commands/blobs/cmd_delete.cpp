// `azlock delete BLOB`: deletes a blob if the given conditions hold.
#include <memory>

#include "base/quantity.hpp"
#include "cli/flags/fence_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/upload/discard_staged.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string blob;
    std::string snapshots;
    ConditionFlags conditions;
    FenceFlags fence;
    bool dry_run = false;
    bool staged = false;
    bool force = false;
};

std::string sentence(const ops::DeleteReport& report, const std::string& blob, bool only_snapshots) {
    const std::string out = report.deleted ? "deleted " : "would delete ";
    if (only_snapshots) return out + "the snapshots of " + blob;
    if (report.deleted) return out + blob;
    return out + blob + " (" + format_count(report.seen->content_length, "byte") + ", ETag " + report.seen->etag + ")";
}

Status drop_staged(const Options& o, Opened& opened, const ops::DeleteOptions& options, Context& context) {
    const std::string target = opened.address.to_string();
    const auto dropped = ops::drop_staged(opened.client(), opened.address, options, o.dry_run, context.call());
    if (!dropped) return fail(dropped.error());
    context.output().notice((o.dry_run ? "would drop " : "dropped ") + format_count(dropped->blocks, "staged block") +
                            " (" + format_bytes(dropped->bytes) + ") of " + target);
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", target},
                                        {"deleted", false},
                                        {"dropped", !o.dry_run},
                                        {"staged_blocks", dropped->blocks},
                                        {"staged_bytes", dropped->bytes}});
}

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    const auto fence = read_fence_flags(o.fence);
    if (!fence) return fail(fence.error());
    auto opened = context.open_listed(o.blob, *conditions);
    if (!opened) return fail(opened.error());
    const azure::BlobAddress& blob = opened->address;
    const ops::DeleteOptions options{*conditions, o.snapshots, *fence, !o.force};
    if (auto ok = opened->address.must_be_blob(); !ok) {
        return fail(ErrorCode::usage, ok.error().message, "delete a container with 'azlock container delete'");
    }
    if (o.staged) return drop_staged(o, *opened, options, context);
    const auto report = ops::delete_as_asked(opened->client(), blob, options, o.dry_run, context.call());
    if (!report) return fail(report.error());
    context.output().notice(sentence(*report, blob.to_string(), o.snapshots == "only"));
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", blob.to_string()}, {"deleted", report->deleted}});
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
    Option* force = cmd->add_flag("--force", o->force, "Even if it is a lock whose command may run");
    cmd->add_flag("--staged", o->staged,
                  "Drop only the staged blocks, which an interrupted upload has left; the blob keeps its content")
        ->excludes(force);
    add_condition_flags(*cmd, o->conditions);
    add_fence_flags(*cmd, o->fence);
    cmd->footer(
        "Examples:\n  azlock delete artifacts/build.tar.gz\n  azlock delete state/lock.json --if-match \"$etag\"\n"
        "  azlock delete images/big.iso --staged     # what an interrupted upload left\n"
        "  azlock delete state/current --fence       # in a command of 'azlock lock'\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
