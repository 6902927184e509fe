// Copies a task whose content this machine cannot keep, block by block.
#pragma once

#include "ops/queue/claim.hpp"

namespace azlock::ops {

// Creates the blob with the content of the claimed task and with the metadata and condition of `options`. Renews the
// lease in between, as long as it is held, and writes its new time into the claim.
[[nodiscard]] Result<azure::WriteResult> copy_in_blocks(const Queue& queue, Claim& original,
                                                        const azure::BlobAddress& copy,
                                                        const azure::PutBlobOptions& options);

}  // namespace azlock::ops
