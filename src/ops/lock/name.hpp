// Which blobs a lock is made of.
#pragma once

#include <cstdint>
#include <string>

#include "azure/address.hpp"
#include "base/result.hpp"

namespace azlock::ops {

inline constexpr std::uint64_t kMostSlots = 1000;

struct LockName {
    azure::BlobAddress base;  // slot 0
    std::uint64_t slots = 1;

    // Slot i of a semaphore is the blob BASE.i; slot 0 is the base itself.
    [[nodiscard]] azure::BlobAddress slot(std::uint64_t index) const {
        azure::BlobAddress out = base;
        if (index > 0) out.blob += "." + std::to_string(index);
        return out;
    }
};

// The blobs of the lock `given` (as the user wrote it). If that is a whole TARGET, writes to its blob may replace the
// blob's metadata and with it the record; so the lock is the blob TARGET.azlock. Error: usage.
[[nodiscard]] Result<LockName> make_lock_name(const std::string& given, bool is_target,
                                              const azure::BlobAddress& address, std::uint64_t slots);

}  // namespace azlock::ops
