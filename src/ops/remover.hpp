// Deletes a blob once: a repeat after a lost answer must not hit a blob that somebody made meanwhile.
#pragma once

#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

struct DeleteOptions {
    azure::Conditions conditions;
    std::string snapshots;  // "", "include" or "only"
};

// Success where the blob was deleted by us, also if only a look afterwards tells. Where a later version stands there
// and it cannot be told whether ours was deleted before: unavailable with may_have_applied.
[[nodiscard]] Status remove_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                 const DeleteOptions& options, const azure::Call& call);

}  // namespace azlock::ops
