#include "ops/lock/lock_name.hpp"

#include "azure/names.hpp"
#include "azure/url.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kOfLock = ".azlock";

// It ends with ".azlock.", and a number.
bool names_slot(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    return digits != std::string::npos && digits + 1 < name.size() &&
           std::string_view(name).substr(0, digits + 1).ends_with(std::string(kOfLock) + ".");
}

bool is_target(const std::string& given) {
    return istarts_with(given, "az://") || azure::looks_like_url(given);
}

}  // namespace

azure::BlobAddress LockName::slot(std::uint64_t index) const {
    azure::BlobAddress out = first;
    if (index > 0) out.blob += std::string(kOfLock) + "." + std::to_string(index);
    return out;
}

std::string lock_target(const std::string& given, const std::string& container) {
    return is_target(given) ? given : container + "/" + given;
}

Result<LockName> make_lock_name(const std::string& given, const azure::BlobAddress& address, std::uint64_t slots) {
    if (address.is_container()) return fail(ErrorCode::usage, "'" + printable(given) + "' names no blob to lock");
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be locked");
    LockName out{address, slots};
    if (is_target(given)) out.first.blob += kOfLock;
    if (names_slot(out.first.blob)) {
        return fail(ErrorCode::usage, "'" + printable(given) + "' is the name of a slot of another lock");
    }
    const azure::BlobAddress longest = out.slot(slots - 1);
    if (auto ok = azure::check_blob_name(longest.blob); !ok) return fail(ok.error());
    return out;
}

Status check_slots(const LockName& lock, std::uint64_t its_slots) {
    if (its_slots == lock.slots) return {};
    return fail(ErrorCode::usage,
                "the lock " + printable(lock.first.blob) + " has " + format_count(its_slots, "slot") + ", not " +
                    std::to_string(lock.slots),
                "every command that uses this lock must give the same --slots");
}

}  // namespace azlock::ops
