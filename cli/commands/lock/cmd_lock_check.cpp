// `azlock lock-check`: does the lock of this environment still hold, and for how long at least?
#include <cstdlib>
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/lock/held_locks.hpp"
#include "cli/commands/lock/lock_status.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/lock/lock_rules.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

struct Options {
    std::optional<milliseconds> min_left;
};

// How long the command may still run if no further renew succeeds; nullopt: its azlock cannot be asked.
std::optional<milliseconds> time_left(const Clock& clock) {
    const char* keeper = std::getenv("AZLOCK_KEEPER");
    const auto term_at = keeper != nullptr ? read_term_point(keeper) : std::nullopt;
    if (!term_at || *term_at == kNoDeadline) return std::nullopt;
    return std::max(milliseconds(0), std::chrono::floor<milliseconds>(*term_at - clock.now()));
}

Status lost(Context& context, const HeldEntry& lock, const std::string& why) {
    context.set_exit_code(kExitLost);
    return fail(ErrorCode::precondition, "the lock " + printable(lock.name) + " is lost: " + why);
}

Status run(const Options& o, Context& context) {
    const auto lock = innermost_lock();
    if (!lock) return fail(lock.error());
    auto opened = context.open(lock->url);
    if (!opened) return fail(opened.error());
    // A renew is the one request that proves it.
    const auto renewed = opened->client().renew_lease(opened->address, lock->lease_id, {}, context.call());
    const ops::RenewAnswer answer = ops::read_renew(renewed, lock->lease_id);
    if (answer.kind == ops::RenewAnswer::Kind::definitive) return lost(context, *lock, answer.text);
    if (!renewed) return fail(renewed.error());
    if (answer.kind != ops::RenewAnswer::Kind::held) return fail(ErrorCode::unavailable, answer.text);

    const auto left = time_left(context.clock());
    if (context.output().json()) {
        Json out{{"name", printable(lock->name)}, {"held", true}};
        out["fence"] = lock->fence.empty() ? Json(nullptr) : Json(parse_u64(lock->fence).value_or(0));
        out["left_ms"] = left ? Json(left->count()) : Json(nullptr);
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

void register_lock_check(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd = app.add_subcommand("lock-check", "In a command under a lock: does it still hold, for how long?");
    add_duration(*cmd, "--min-left", o->min_left, "Fail (73) unless the command may surely run on for so long");
    cmd->footer(
        "Examples:\n  azlock lock-check --min-left 20s && ./one-more-step\n\n"
        "Exit code 122: the lock is lost.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
