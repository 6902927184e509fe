// `azlock lock-check`: is the lock that this runs under still held, and for how long at least?
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/held_locks.hpp"

namespace azlock::cli {
namespace {

Status run(std::optional<std::chrono::milliseconds> min_left, Context& context) {
    const auto lock = ops::innermost_lock();
    if (!lock) return fail(lock.error());
    auto opened = context.open(lock->url);
    if (!opened) return fail(opened.error());
    const auto check = ops::check_lock(opened->client(), opened->address, lock->lease_id, context.call());
    if (!check) return fail(check.error());
    const std::string name = "the lock " + printable(lock->name);
    if (!check->lost.empty()) {
        context.set_exit_code(kExitLost);
        return fail(ErrorCode::precondition, name + " is lost: " + check->lost);
    }
    const auto& left = check->left;
    if (context.output().json()) {
        Json out{{"name", printable(lock->name)}, {"held", true}};
        out["fence"] = lock->fence.empty() ? Json() : Json(parse_u64(lock->fence).value_or(0));
        out["left_ms"] = left ? Json(left->count()) : Json();
        if (auto ok = context.output().object(out); !ok) return ok;
    } else {
        const std::string time = left ? "; the command has at least " + format_duration(*left) : "";
        context.output().notice(name + " is held" + time);
    }
    return min_left ? ops::check_time_left(*check, *min_left) : Status();
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
