// Deletes a blob once: a repeat after a lost answer must not hit a blob that somebody made meanwhile.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/write/fence.hpp"

namespace azlock::ops {

struct DeleteOptions {
    azure::Conditions conditions;
    std::string snapshots;  // "", "include" or "only"
    std::optional<Fence> fence = {};
};

// Success where the blob was deleted by us, also if only a look afterwards tells. Where a later version stands there
// and it cannot be told whether ours was deleted before: unavailable with may_have_applied. With a fence only a version
// that the fence allows to replace is deleted; errors of check_fence().
[[nodiscard]] Status remove_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                 const DeleteOptions& options, const azure::Call& call);

// The blob as a delete with these options would meet it. Errors: the conditions do not hold, check_fence().
[[nodiscard]] Result<azure::BlobProperties> look_before_delete(azure::BlobClient& client,
                                                               const azure::BlobAddress& blob,
                                                               const DeleteOptions& options, const azure::Call& call);

}  // namespace azlock::ops
