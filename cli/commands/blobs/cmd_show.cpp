// `azlock show BLOB`: what the service knows about a blob or container.
#include <memory>

#include "cli/commands/blobs/show_properties.hpp"
#include "cli/flags/conditional_read.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/read/etag_file.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    ConditionFlags conditions;
    std::string etag_file;
};

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = ops::take_etag_file(o.etag_file, *conditions); !ok) return ok;
    auto opened = context.open_listed(o.target, *conditions);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_one_or_other(); !ok) return ok;
    const auto looked =
        ops::look(opened->client(), opened->address, *conditions, o.etag_file, shown(context, *opened), context.call());
    return looked ? looked : read_failed(context, opened->address, looked.error());
}

}  // namespace

void register_show(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("show", "Show a blob's (or container's) properties, metadata and lease state");
    cmd->add_option("TARGET", o->target, "CONTAINER[/BLOB], az://... or URL")->required();
    add_condition_flags(*cmd, o->conditions);
    add_etag_file_flag(*cmd, o->etag_file);
    cmd->footer(
        "Examples:\n  azlock show artifacts/build.tar.gz\n  azlock show artifacts/build.tar.gz --json | jq -r .etag\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
