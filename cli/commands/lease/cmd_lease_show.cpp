// `azlock lease show TARGET`: the state of a lease and who holds it.
#include <memory>

#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/commands/lease/describe_lease.hpp"

namespace azlock::cli {
namespace {

Status run(const std::string& target, Context& context) {
    auto opened = open_leasable(context, target);
    if (!opened) return fail(opened.error());
    const auto seen = ops::look_at_lease(opened->client(), opened->address, context.call());
    if (!seen) return fail(seen.error());
    Output& output = context.output();
    if (output.json()) {
        Json out;
        out["target"] = opened->address.to_string();
        out.update(to_json(*seen));
        return output.object(out);
    }
    for (const std::string& line : describe(*seen, opened->address.to_string())) {
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

}  // namespace

void register_lease_show(Parser& group, Commands& commands) {
    auto target = std::make_shared<std::string>();
    Parser* cmd = group.add_subcommand("show", "Show the state of a lease and who holds it");
    add_lease_target(*cmd, *target);
    cmd->footer(
        "Reads azlock's own records, Terraform's and those of WebJobs and Functions.\n\n"
        "Examples:\n  azlock lease show jobs/nightly\n  azlock lease show tfstate/prod.tfstate --json | jq .foreign\n");
    commands.add(cmd, [target](Context& context) { return run(*target, context); });
}

}  // namespace azlock::cli
