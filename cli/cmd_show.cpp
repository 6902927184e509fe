// `azlock show BLOB`: what the service knows of a blob or container.
#include <memory>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/flags.hpp"
#include "cli/show_container.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    ConditionFlags conditions;
};

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    auto opened = context.open(o.target);
    if (!opened) return fail(opened.error());
    if (opened->address.is_container()) {
        if (conditions->any()) return fail(ErrorCode::usage, "containers take no conditions");
        return show_container(context, *opened, conditions->lease_id);
    }
    auto head = opened->client().get_properties(opened->address, *conditions, context.call());
    if (!head) return fail(head.error());
    Output& output = context.output();
    if (output.json()) {
        Json out;
        out["target"] = opened->address.to_string();
        out.update(to_json(head->properties));
        return output.object(out);
    }
    for (const std::string& line : describe(head->properties)) {
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

}  // namespace

void register_show(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd = app.add_subcommand("show", "Show a blob's (or container's) properties, metadata and lease state");
    cmd->add_option("TARGET", o->target, "CONTAINER[/BLOB], az://... or URL")->required();
    add_condition_flags(*cmd, o->conditions);
    cmd->footer(
        "Examples:\n  azlock show artifacts/build.tar.gz\n  azlock show artifacts/build.tar.gz --json | jq -r .etag\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
