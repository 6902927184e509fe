// Deletes a blob once: a repeat after a lost answer must not delete a blob that somebody wrote meanwhile.
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

// Succeeds if we deleted the blob, even if only a look afterwards shows it. If a later version exists and it is unknown
// whether the earlier one was deleted: unavailable with may_have_applied. With a fence, deletes only a version that the
// fence allows us to replace; errors of check_fence().
[[nodiscard]] Status delete_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                 const DeleteOptions& options, const azure::Call& call);

// Reads the blob that a delete with these options would delete. Errors: the conditions do not hold, check_fence().
[[nodiscard]] Result<azure::BlobProperties> look_before_delete(azure::BlobClient& client,
                                                               const azure::BlobAddress& blob,
                                                               const DeleteOptions& options, const azure::Call& call);

}  // namespace azlock::ops
