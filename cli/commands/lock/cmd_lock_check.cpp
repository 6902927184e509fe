// `azlock lock-check`: is the lock that this runs under still held, and for how long at least?
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/lock_check.hpp"

namespace azlock::cli {
namespace {

Status print(Output& output, const ops::LockCheck& check) {
    const std::string name = printable(check.lock.name);
    if (!output.json()) {
        output.notice("the lock " + name + " is held; the command has at least " + format_duration(check.left));
        return {};
    }
    Json out{{"name", name}, {"held", true}};
    out["fence"] = check.lock.fence.empty() ? Json() : Json(parse_u64(check.lock.fence).value_or(0));
    out["left_ms"] = check.left.count();
    return output.object(out);
}

Status run(std::optional<std::chrono::milliseconds> min_left, Context& context) {
    context.tune({.impatient = true});
    std::optional<Opened> opened;
    const auto open = [&](const std::string& url) -> Result<ops::LockPlace> {
        auto target = context.open(url);
        if (!target) return fail(target.error());
        opened = std::move(*target);
        return ops::LockPlace{opened->client(), opened->address};
    };
    const auto check = ops::check_lock(open, min_left, context.call());
    if (!check) return fail(check.error());
    if (auto ok = print(context.output(), *check); !ok) return ok;
    return check->enough;
}

}  // namespace

void register_lock_check(Parser& app, Commands& commands) {
    auto min_left = std::make_shared<std::optional<std::chrono::milliseconds>>();
    Parser* cmd = app.add_subcommand("lock-check", "Under a lock: is the lock still held, and for how long?");
    add_duration(*cmd, "--min-left", *min_left, "Fail (73) unless the command can run for at least this long");
    cmd->footer(
        "Examples:\n  azlock lock-check --min-left 20s && ./one-more-step\n\n"
        "Exit code 122: the lock is lost.\n");
    commands.add(cmd, [min_left](Context& context) { return run(*min_left, context); });
}

}  // namespace azlock::cli
