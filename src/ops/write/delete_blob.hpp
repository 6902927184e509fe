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
    bool spare_locks = false;  // not the blob of a lock whose command may run
    std::string seen = {};     // the ETag just before; as long as the blob has it, nothing was deleted
};

// Succeeds if we deleted the blob, even if only a look afterwards shows it. If a later version exists and it is unknown
// whether the earlier one was deleted: unavailable with may_have_applied. With a fence, deletes only a version that the
// fence allows us to replace; errors of check_fence().
[[nodiscard]] Status delete_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                 const DeleteOptions& options, const azure::Call& call);

struct DeleteReport {
    bool deleted = false;                            // false: it would be, without `dry_run`
    std::optional<azure::BlobProperties> seen = {};  // by a dry run
};

// A delete as a user asks for it. `dry_run`: only looks at the blob that would be deleted. Errors: usage
// (several conditions; If-None-Match, which the service would ignore), busy (`spare_locks`), those of delete_blob().
[[nodiscard]] Result<DeleteReport> delete_as_asked(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                   const DeleteOptions& options, bool dry_run, const azure::Call& call);

}  // namespace azlock::ops
