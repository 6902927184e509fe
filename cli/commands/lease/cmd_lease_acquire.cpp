// `azlock lease acquire TARGET`: prints the lease id and nothing else.
#include <memory>

#include <unistd.h>

#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/this_user.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lease/actions.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    std::string duration = "60";
    std::string proposed_id;
    std::vector<std::string> owner;
    ops::AcquireOptions acquire;  // without what the fields above say
};

// The given fields; user, host and run are filled in if they are not given. The default pid is the parent's, because
// azlock itself ends at once.
Result<std::optional<ops::OwnerRecord>> read_owner(const std::vector<std::string>& pairs) {
    if (pairs.empty()) return std::nullopt;
    ops::OwnerRecord record = this_user();
    record.pid = static_cast<std::uint64_t>(getppid());
    if (auto ok = ops::set_owner_fields(record, pairs); !ok) return fail(ok.error());
    return record;
}

Status run(const Options& o, Context& context) {
    ops::AcquireOptions options = o.acquire;
    const auto duration = read_lease_duration(o.duration);
    if (!duration) return fail(duration.error());
    options.duration = *duration;
    if (!o.proposed_id.empty()) {
        auto id = read_lease_id("--proposed-id", o.proposed_id);
        if (!id) return fail(id.error());
        options.proposed_id = *id;
    }
    auto record = read_owner(o.owner);
    if (!record) return fail(record.error());
    options.record = *record;
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    const std::string target = opened->address.to_string();
    options.waiting = [&](const ops::LeaseView& view) {
        context.output().notice("waiting for " + target + ": " +
                                (view.is_taken() ? "held by " + view.holder() : "about to be free") +
                                (view.lease.state == "breaking" ? ", being broken" : ""));
    };
    context.take_time_to_stop(ops::kLeaseStopTime);
    const auto lease = ops::acquire_lease(opened->client(), opened->address, options, context.call());
    if (!lease) return fail(lease.error());
    if (!context.output().json()) return context.output().line(lease->lease_id);
    Json out;
    out["target"] = target;
    out["lease_id"] = lease->lease_id;
    const bool infinite = lease->duration == ops::kInfiniteLease;
    out["duration"] = infinite ? "infinite" : "fixed";
    out["seconds"] = infinite ? Json() : Json(lease->duration);
    out["etag"] = or_null(lease->etag);
    out["created"] = lease->created;
    return context.output().object(out);
}

}  // namespace

void register_lease_acquire(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("acquire", "Take a lease and print its id");
    add_lease_target(*cmd, o->target);
    cmd->add_option("--duration", o->duration, "15s to 60s, or infinite (default 60s)")->type_name("DUR");
    cmd->add_option("--proposed-id", o->proposed_id, "Proposed lease id (default: a new one)")->type_name("GUID");
    add_duration(*cmd, "--wait", o->acquire.wait,
                 "How long to wait while somebody else holds it (default: not at all)");
    cmd->add_flag("--create", o->acquire.create, "Make the blob (empty) or the container if it is missing");
    cmd->add_option("--owner", o->owner,
                    "Write the holder into the metadata: owner, host, pid, run (filled in if not given), command or a "
                    "key of your own; may be repeated")
        ->type_name("KEY=VALUE")
        ->repeated();
    cmd->footer(
        "Without --wait the exit code is 75 if somebody else holds the lease. --owner changes the blob's metadata,\n"
        "and so its ETag.\n\n"
        "Examples:\n  id=$(azlock lease acquire jobs/nightly --create --wait 5m)\n"
        "  azlock lease acquire state/prod --duration infinite --owner run=\"$CI_JOB_URL\"\n"
        "  azlock lease acquire backups --duration infinite    # nobody deletes it\n");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
