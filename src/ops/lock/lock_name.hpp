// The name of a lock, and the blobs that it means.
#pragma once

#include <cstdint>
#include <string>

#include "azure/address.hpp"
#include "base/result.hpp"

namespace azlock::ops {

inline constexpr std::uint64_t kMostSlots = 1000;

struct LockName {
    azure::BlobAddress first;  // slot 0
    std::uint64_t slots = 1;

    // Slot 0 is NAME itself, slot i the blob NAME.azlock.i, which no NAME can be.
    [[nodiscard]] azure::BlobAddress slot(std::uint64_t index) const;
};

// The lock `given` (as the user wrote it) as a TARGET: a blob in the container, unless it is a whole TARGET already.
[[nodiscard]] std::string lock_target(const std::string& given, const std::string& container);

// The blobs of the lock. If `given` is a whole TARGET, writes to its blob may replace the blob's metadata and with it
// the record; so the lock is the blob TARGET.azlock. `address`: that of lock_target(). Error: usage.
[[nodiscard]] Result<LockName> make_lock_name(const std::string& given, const azure::BlobAddress& address,
                                              std::uint64_t slots);

// Error (usage): the lock has another number of slots.
[[nodiscard]] Status check_slots(const LockName& lock, std::uint64_t its_slots);

}  // namespace azlock::ops
