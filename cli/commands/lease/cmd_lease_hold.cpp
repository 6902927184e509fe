// `azlock lease renew|change|release TARGET`: commands for the holder of a lease.
#include <memory>

#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/lease_flags.hpp"
#include "ops/lease/actions.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    std::string lease_id;
    std::string to;
};

// `done` names the action in the report. Only a change sets `o.to`.
template <typename Act>
Status run(const Options& o, Context& context, const char* done, Act act) {
    const auto id = read_holder_id(o.lease_id);
    if (!id) return fail(id.error());
    const auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    if (auto ok = act(opened->client(), opened->address, *id, context.call()); !ok) return ok;
    const std::string target = opened->address.to_string();
    Output& output = context.output();
    const std::string& now = o.to.empty() ? *id : o.to;
    if (output.json()) return output.object(Json{{"target", target}, {"lease_id", now}, {done, true}});
    if (!o.to.empty()) return output.line(now);
    output.notice(std::string(done) + " the lease of " + target);
    return {};
}

Status change(Options o, Context& context) {
    auto to = read_lease_id("--to", o.to);
    if (!to) return fail(to.error());
    o.to = std::move(*to);
    return run(o, context, "changed", [&](auto& client, const auto& target, const auto& id, const auto& call) {
        return ops::change_lease(client, target, id, o.to, call);
    });
}

}  // namespace

void register_lease_hold(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    const auto add = [&](const char* name, const char* help, CommandFunction run) {
        Parser* cmd = group.add_subcommand(name, help);
        add_lease_target(*cmd, o->target);
        add_holder_id(*cmd, o->lease_id);
        commands.add(cmd, std::move(run));
        return cmd;
    };
    Parser* renewing = add("renew", "Renew a lease: its duration starts again",
                           [o](Context& context) { return run(*o, context, "renewed", ops::renew_lease); });
    renewing->footer("Example:\n  azlock lease renew jobs/nightly --lease-id \"$id\"\n");
    Parser* changing = add("change", "Give a lease another id and print the new id; safe to repeat",
                           [o](Context& context) { return change(*o, context); });
    changing->add_option("--to", o->to, "The new id")->type_name("GUID")->required();
    commands.print_result(changing);
    changing->footer("Example:\n  azlock lease change jobs/nightly --lease-id \"$mine\" --to \"$theirs\"\n");
    Parser* releasing = add("release", "Release a lease",
                            [o](Context& context) { return run(*o, context, "released", ops::release_lease); });
    releasing->footer("Example:\n  trap 'azlock lease release jobs/nightly --lease-id \"$id\"' EXIT\n");
}

}  // namespace azlock::cli
