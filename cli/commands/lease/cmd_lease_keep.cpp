// `azlock lease keep TARGET`: renews a lease until told to stop, for scripts that cannot run under `azlock lock`.
#include <memory>

#include "base/quantity.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/output/exit_code.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/keep.hpp"
#include "ops/lease/view.hpp"

namespace azlock::cli {
namespace {

constexpr std::chrono::seconds kReleaseTime{5};

struct Options {
    std::string target;
    std::string lease_id;
    std::string duration;
    bool no_release = false;
};

// How long a renewal holds: as the user says; else infinite, if the service says so; else the shortest lease duration.
// The record is not asked, because it may be about an earlier lease.
Result<ops::KeepOptions> plan(const Options& o, Context& context, const Opened& opened, const std::string& id) {
    ops::KeepOptions out;
    out.lease_id = id;
    if (!o.duration.empty()) {
        const auto given = read_lease_duration(o.duration, true);
        if (!given) return fail(given.error());
        out.infinite = *given == ops::kInfiniteLease;
        if (!out.infinite) out.ttl = std::chrono::seconds(*given);
        return out;
    }
    const auto seen = ops::look_at_lease(opened.client(), opened.address, context.call());
    // Without permission to read, or if the blob has only staged blocks, the first renewal shows the result.
    const bool hidden = !seen && (seen.error().code == ErrorCode::auth || seen.error().code == ErrorCode::not_found);
    if (!seen && !hidden) return fail(seen.error());
    out.infinite = seen && seen->lease.duration == "infinite";
    return out;
}

Status print(Context& context, const Opened& opened, const ops::Kept& kept, const std::string& id, bool released) {
    if (!context.output().json()) return {};
    Json out;
    out["target"] = opened.address.to_string();
    out["lease_id"] = id;
    out["renewals"] = kept.renewals;
    out["released"] = released;
    return context.output().object(out);
}

Status run(const Options& o, Context& context) {
    const auto id = read_holder_id(o.lease_id);
    if (!id) return fail(id.error());
    if (!o.duration.empty()) {
        if (auto given = read_lease_duration(o.duration, true); !given) return fail(given.error());
    }
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    auto options = plan(o, context, *opened, *id);
    if (!options) return fail(options.error());
    const std::string target = opened->address.to_string();
    options->holding = [&] {
        context.output().notice(
            "keeping the lease of " + target +
            (options->infinite ? " (infinite)" : ", " + format_duration(options->ttl) + " at a time"));
    };
    context.take_time_to_stop(kReleaseTime + std::chrono::seconds(1));
    const auto kept = ops::keep_lease(opened->client(), opened->address, *options, context.call());
    if (!kept) return fail(kept.error());
    if (kept->lost) {
        context.set_exit_code(kExitLost);
        return fail(*kept->lost);
    }
    const bool told = context.call().stop.stop_requested();
    if (!o.no_release) {
        auto released = ops::release_lease(opened->client(), opened->address, *id, context.last_call(kReleaseTime));
        if (!released) {
            context.set_exit_code(exit_code(released.error(), 0));
            return released;
        }
    }
    if (!told)
        return fail(ErrorCode::unavailable, "the time limit of --timeout has passed" +
                                                std::string(o.no_release ? "" : "; the lease was released"));
    context.output().notice((o.no_release ? "no longer keeping the lease of " : "released the lease of ") + target);
    return print(context, *opened, *kept, *id, !o.no_release);
}

}  // namespace

void register_lease_keep(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("keep", "Renew a lease until told to stop (TERM, INT), then release it");
    add_lease_target(*cmd, o->target);
    add_holder_id(*cmd, o->lease_id);
    cmd->add_option("--duration", o->duration,
                    "Duration with which it was acquired (default: infinite if it is infinite now, else 15s)")
        ->type_name("DUR");
    cmd->add_flag("--no-release", o->no_release, "Leave the lease as it is at the end");
    cmd->footer(
        "The exit code is 0 if it was told to stop, and 122 if the lease is lost. A script that works under the\n"
        "lease must watch for that; 'azlock lock' ends its command itself.\n\n"
        "Example:\n  azlock lease keep jobs/nightly --lease-id \"$id\" & keeper=$!\n  ...\n  kill $keeper; wait "
        "$keeper\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
