// `azlock lease renew|change|release TARGET`: commands for the holder of a lease.
#include <memory>

#include "cli/commands/lease/cmd_lease.hpp"
#include "ops/lease/actions.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    std::string lease_id;
    std::string to;
};

struct Holder {
    Opened opened;
    std::string lease_id;
    [[nodiscard]] std::string target() const { return opened.address.to_string(); }
};

Result<Holder> open_held(const Options& o, Context& context) {
    auto id = read_holder_id(o.lease_id);
    if (!id) return fail(id.error());
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    return Holder{std::move(*opened), *id};
}

Status report(Context& context, const Holder& holder, const char* done, const std::string& lease_id) {
    context.output().notice(std::string(done) + " the lease of " + holder.target());
    if (!context.output().json()) return {};
    return context.output().object(Json{{"target", holder.target()}, {"lease_id", lease_id}, {done, true}});
}

Status renew(const Options& o, Context& context) {
    const auto holder = open_held(o, context);
    if (!holder) return fail(holder.error());
    const Opened& opened = holder->opened;
    if (auto ok = ops::renew_lease(opened.client(), opened.address, holder->lease_id, context.call()); !ok) return ok;
    return report(context, *holder, "renewed", holder->lease_id);
}

Status change(const Options& o, Context& context) {
    const auto to = read_lease_id("--to", o.to);
    if (!to) return fail(to.error());
    const auto holder = open_held(o, context);
    if (!holder) return fail(holder.error());
    const Opened& opened = holder->opened;
    auto ok = ops::change_lease(opened.client(), opened.address, holder->lease_id, *to, context.call());
    if (!ok) return ok;
    if (!context.output().json()) return context.output().line(*to);
    return report(context, *holder, "changed", *to);
}

Status release(const Options& o, Context& context) {
    const auto holder = open_held(o, context);
    if (!holder) return fail(holder.error());
    const Opened& opened = holder->opened;
    if (auto ok = ops::release_lease(opened.client(), opened.address, holder->lease_id, context.call()); !ok) return ok;
    return report(context, *holder, "released", holder->lease_id);
}

}  // namespace

void register_lease_hold(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    const auto add = [&](const char* name, const char* help, Status (*run)(const Options&, Context&)) {
        Parser* cmd = group.add_subcommand(name, help);
        add_lease_target(*cmd, o->target);
        add_holder_id(*cmd, o->lease_id);
        commands.add(cmd, [o, run](Context& context) { return run(*o, context); });
        return cmd;
    };
    Parser* renewing = add("renew", "Renew a lease: its duration starts again", renew);
    renewing->footer("Example:\n  azlock lease renew jobs/nightly --lease-id \"$id\"\n");
    Parser* changing = add("change", "Give a lease another id and print the new id; safe to repeat", change);
    changing->add_option("--to", o->to, "The new id")->type_name("GUID")->required();
    changing->footer("Example:\n  azlock lease change jobs/nightly --lease-id \"$mine\" --to \"$theirs\"\n");
    Parser* releasing = add("release", "Release a lease", release);
    releasing->footer("Example:\n  trap 'azlock lease release jobs/nightly --lease-id \"$id\"' EXIT\n");
}

}  // namespace azlock::cli
