#include "ops/lock/held_locks.hpp"

#include <cstdlib>
#include <optional>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string entry_text(const HeldEntry& entry) {
    return std::to_string(entry.slot) + "," + entry.fence + "," + percent_encode(entry.lease_id) + "," +
           percent_encode(entry.url) + "," + percent_encode(entry.name) + "," + percent_encode(entry.keeper) + "," +
           std::to_string(entry.slots);
}

std::optional<HeldEntry> read_entry(std::string_view text) {
    const auto parts = split(text, ',');
    if (parts.size() != 7) return std::nullopt;
    const auto slot = parse_u64(parts[0]);
    const auto lease = percent_decode(parts[2]);
    const auto url = percent_decode(parts[3]);
    const auto name = percent_decode(parts[4]);
    const auto keeper = percent_decode(parts[5]);
    const auto slots = parse_u64(parts[6]);
    if (!slot || !slots || !lease || !url || !name || !keeper || (!parts[1].empty() && !parse_u64(parts[1])))
        return std::nullopt;
    return HeldEntry{*name, *url, *lease, std::string(parts[1]), *slot, *keeper, *slots};
}

// What a command may know also after the lock was lost.
std::vector<std::string> lock_names(const HeldEntry& lock) {
    return {"AZLOCK_NAME=" + lock.name, "AZLOCK_URL=" + lock.url,
            lock.fence.empty() ? "AZLOCK_FENCE" : "AZLOCK_FENCE=" + lock.fence,
            "AZLOCK_SLOT=" + std::to_string(lock.slot)};
}

}  // namespace

std::vector<HeldEntry> held_locks() {
    std::vector<HeldEntry> out;
    const std::string text = variable("AZLOCK_HELD");
    if (text.empty()) return out;
    for (const std::string_view part : split(text, ';')) {
        auto entry = read_entry(part);
        if (!entry) return {};
        out.push_back(std::move(*entry));
    }
    return out;
}

Result<HeldEntry> innermost_lock() {
    const std::uint64_t slot = parse_u64(variable("AZLOCK_SLOT")).value_or(0);
    HeldEntry out{
        variable("AZLOCK_NAME"),  variable("AZLOCK_URL"), variable("AZLOCK_LEASE_ID"), variable("AZLOCK_FENCE"), slot,
        variable("AZLOCK_KEEPER")};
    if (out.url.empty() || out.lease_id.empty()) {
        return fail(ErrorCode::usage, "this does not run under a lock: AZLOCK_URL or AZLOCK_LEASE_ID is not set",
                    "use it in a command that 'azlock lock' runs");
    }
    return out;
}

std::vector<std::string> lock_environment(const std::vector<HeldEntry>& outer, const HeldEntry& lock) {
    std::string held = "AZLOCK_HELD=";
    for (const HeldEntry& entry : outer) held += entry_text(entry) + ";";
    std::vector<std::string> out = lock_names(lock);
    out.push_back("AZLOCK_LEASE_ID=" + lock.lease_id);
    out.push_back("AZLOCK_KEEPER=" + lock.keeper);
    out.push_back(held + entry_text(lock));
    return out;
}

std::vector<std::string> lost_lock_environment(const HeldEntry& lock) {
    std::vector<std::string> out = lock_names(lock);
    out.emplace_back("AZLOCK_LEASE_ID");
    return out;
}

}  // namespace azlock::ops
