#include "cli/commands/lease/lease_flags.hpp"

#include <chrono>
#include <cstdlib>

#include "azure/names.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "ops/lease/acquire.hpp"
#include "ops/lock/lock_name.hpp"

namespace azlock::cli {
namespace {

// A duration of `least` to 60 whole seconds; nullopt: it is something else.
std::optional<int> whole_seconds(const std::string& text, int least) {
    const auto span = parse_duration(text);
    if (!span || *span % std::chrono::seconds(1) != std::chrono::seconds(0)) return std::nullopt;
    if (*span < std::chrono::seconds(least) || *span > std::chrono::seconds(60)) return std::nullopt;
    return static_cast<int>(span->count() / 1000);
}

}  // namespace

Option* add_lease_target(Parser& command, std::string& target) {
    return command.add_option("TARGET", target, "CONTAINER[/BLOB], az://... or URL")->required();
}

Result<Opened> open_leasable(Context& context, const std::string& target) {
    context.tune({.impatient = true});
    auto opened = context.open(target);
    if (!opened) return opened;
    if (auto ok = opened->address.must_be_one_or_other(); !ok) return fail(ok.error());
    if (auto ok = opened->address.must_not_be_snapshot("leased"); !ok) return fail(ok.error());
    return opened;
}

Option* add_lease_target(Parser& command, LeaseTarget& target) {
    add_lease_target(command, target.text);
    Option* lock = command.add_flag("--lock", target.lock, "TARGET is the name of a lock");
    command.add_option("--container", target.container, "With --lock: container of the locks (default locks)")
        ->type_name("NAME")
        ->envname("AZLOCK_CONTAINER");
    command.add_option("--slot", target.slot, "With --lock: that slot of the lock (default 0)")
        ->type_name("I")
        ->range(std::uint64_t{0}, ops::kMostSlots - 1);
    return lock;
}

Result<Opened> open_leasable(Context& context, const LeaseTarget& target) {
    if (!target.lock && target.slot) return fail(ErrorCode::usage, "--slot goes with --lock");
    if (!target.lock) return open_leasable(context, target.text);
    auto opened = open_leasable(context, ops::lock_target(target.text, target.container));
    if (!opened) return opened;
    const auto lock = ops::make_lock_name(target.text, opened->address, target.slot.value_or(0) + 1);
    if (!lock) return fail(lock.error());
    opened->address = lock->slot(target.slot.value_or(0));
    return opened;
}

Error not_a_lock(const LeaseTarget& target, Error error) {
    if (error.code == ErrorCode::not_found && !target.lock) error.hint = "if it is the name of a lock, add --lock";
    return error;
}

Option* add_expected_flag(Parser& command, std::chrono::milliseconds& expected) {
    return add_duration(command, "--expect", expected,
                        "On a terminal, mark leases that are held for longer (default 1d)");
}

void add_holder_id(Parser& command, std::string& lease_id) {
    command.add_option("--lease-id", lease_id, "The holder's lease id (AZLOCK_LEASE_ID)")->type_name("GUID");
}

Result<std::string> read_lease_id(const char* flag, const std::string& lease_id) {
    auto id = azure::canonical_lease_id(lease_id);
    if (!id) {
        Error error = id.error();
        error.message = std::string(flag) + ": " + error.message;
        return fail(std::move(error));
    }
    return id;
}

Result<std::string> read_holder_id(const std::string& lease_id) {
    if (!lease_id.empty()) return read_lease_id("--lease-id", lease_id);
    const char* inherited = std::getenv("AZLOCK_LEASE_ID");
    if (inherited == nullptr || *inherited == '\0') {
        return fail(ErrorCode::usage, "no lease id was given", "give --lease-id, or set AZLOCK_LEASE_ID");
    }
    return read_lease_id("AZLOCK_LEASE_ID", inherited);
}

Result<int> read_lease_duration(const std::string& text) {
    if (text == "infinite") return ops::kInfiniteLease;
    if (const auto span = whole_seconds(text, 15)) return *span;
    return fail(ErrorCode::usage, "--duration: " + in_quotes(text) + " is not a possible lease duration",
                "15 to 60 seconds (60, 60s, 1m), or infinite");
}

Result<std::optional<int>> read_break_period(const std::string& text) {
    if (text == "auto") return std::nullopt;
    if (const auto span = whole_seconds(text, 0)) return span;
    return fail(ErrorCode::usage, "--period: " + in_quotes(text) + " is not a possible break period",
                "0 to 60 seconds, or auto");
}

}  // namespace azlock::cli
