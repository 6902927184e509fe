// Fenced writes (docs/lock.md): a blob's metadata says under which token of which lock it was last written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// The fence of a write: the token that a lock gave to one holder (azl_fence), and which lock that was (azl_fence_by).
// Tokens of different locks cannot be compared.
struct Fence {
    std::uint64_t token = 0;
    std::string by;  // AZLOCK_URL of the lock; compared as a text
    friend bool operator==(const Fence&, const Fence&) = default;
};

// What the user asks and what the lock around azlock has given. Empty: not given, or not set.
struct FenceRequest {
    bool wanted = false;
    std::string token;
    std::string by;
    std::string lock_url;  // AZLOCK_URL and AZLOCK_FENCE: `azlock lock` sets them for its command
    std::string lock_token;
};

// The given values, completed by those of the lock. nullopt if no fence is wanted. Error: usage.
[[nodiscard]] Result<std::optional<Fence>> make_fence(const FenceRequest& request);

// Success: a write with `mine` may replace a blob with this metadata, because it has no token, an older one or the same
// one. Errors: precondition (a newer token: a later holder has written), usage (a token of another lock), data (not
// readable, or only one of the two entries). The caller adds the target. The answer is valid only for the version that
// the metadata belongs to: the write needs If-Match with its ETag, or If-None-Match: * if there is no blob.
[[nodiscard]] Status check_fence(const azure::Metadata& present, const Fence& mine);

// True if the blob carries exactly this fence.
[[nodiscard]] bool carries_fence(const azure::Metadata& present, const Fence& mine);

// Puts the two entries into the metadata of a write; existing ones are replaced.
void put_fence(azure::Metadata& metadata, const Fence& mine);

}  // namespace azlock::ops
