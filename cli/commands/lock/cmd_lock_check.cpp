// `azlock lock-check`: is the lock that this runs under still held, and for how long at least?
#include <cstdlib>
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/held_locks.hpp"
#include "ops/lock/lock_check.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

struct Options {
    std::optional<milliseconds> min_left;
};

Status lost(Context& context, const ops::HeldEntry& lock, const std::string& why) {
    context.set_exit_code(kExitLost);
    return fail(ErrorCode::precondition, "the lock " + printable(lock.name) + " is lost: " + why);
}

Status run(const Options& o, Context& context) {
    const auto lock = ops::innermost_lock();
    if (!lock) return fail(lock.error());
    auto opened = context.open(lock->url);
    if (!opened) return fail(opened.error());
    const char* term_point = std::getenv("AZLOCK_KEEPER");
    const auto check = ops::check_lock(opened->client(), opened->address, lock->lease_id,
                                       term_point != nullptr ? term_point : "", context.call());
    if (!check) return fail(check.error());
    if (!check->lost.empty()) return lost(context, *lock, check->lost);
    const auto& left = check->left;
    if (context.output().json()) {
        Json out{{"name", printable(lock->name)}, {"held", true}};
        out["fence"] = lock->fence.empty() ? Json() : Json(parse_u64(lock->fence).value_or(0));
        out["left_ms"] = left ? Json(left->count()) : Json();
        if (auto ok = context.output().object(out); !ok) return ok;
    } else if (left) {
        context.output().notice("the lock " + printable(lock->name) + " is held; the command has at least " +
                                format_duration(*left));
    } else {
        context.output().notice("the lock " + printable(lock->name) + " is held");
    }
    if (!o.min_left) return {};
    if (!left) {
        return fail(ErrorCode::unavailable,
                    "cannot tell how long is left: the azlock that keeps the lock is not "
                    "reachable from here");
    }
    if (*left >= *o.min_left) return {};
    return fail(ErrorCode::precondition,
                "only " + format_duration(*left) + " left, not " + format_duration(*o.min_left));
}

}  // namespace

void register_lock_check(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("lock-check", "Under a lock: is the lock still held, and for how long?");
    add_duration(*cmd, "--min-left", o->min_left, "Fail (73) unless the command can run for at least this long");
    cmd->footer(
        "Examples:\n  azlock lock-check --min-left 20s && ./one-more-step\n\n"
        "Exit code 122: the lock is lost.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
