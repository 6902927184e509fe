// Fenced writes (design 6.3): a blob's metadata says under which token of which lock it was last written.
#pragma once

#include <cstdint>
#include <string>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// What a fenced write carries: the token that a lock gave to one holder, and which lock that was (azl_fence and
// azl_fence_by). Tokens of different locks cannot be compared.
struct Fence {
    std::uint64_t token = 0;
    std::string by;  // AZLOCK_URL of the lock; compared as a text
    friend bool operator==(const Fence&, const Fence&) = default;
};

// May a write that carries `mine` replace a blob with this metadata? Yes where there is no token, an older one or the
// same. Errors: precondition (a newer one: a later holder has written), usage (of another lock), data (not readable, or
// only one of the two entries). The caller adds the target. The answer holds for the version that the metadata was read
// of: the write must be conditional on its ETag, or on If-None-Match: * where there is no blob.
[[nodiscard]] Status check_fence(const azure::Metadata& present, const Fence& mine);

// The blob carries exactly this fence.
[[nodiscard]] bool carries_fence(const azure::Metadata& present, const Fence& mine);

// Puts the two entries into the metadata of a write, in place of those that are there.
void put_fence(azure::Metadata& metadata, const Fence& mine);

}  // namespace azlock::ops
