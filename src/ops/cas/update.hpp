// Compare-and-swap update: reads a blob, makes new content from it, and writes that over exactly the version that was
// read. If somebody else wrote first, it starts again.
#pragma once

#include "ops/cas/options.hpp"
#include "ops/cas/transform.hpp"

namespace azlock::ops {

// An update is carried out at most once, even if answers are lost, and exactly once on success. Errors: precondition if
// others wrote first until the end; busy if a lease was in the way until the end; unavailable with may_have_applied if
// the result is unknown; not_found; data; those of the fence and of the transform.
[[nodiscard]] Result<CasReport> cas_update(azure::BlobClient& client, const azure::BlobAddress& blob,
                                           const CasTransform& transform, const CasOptions& options,
                                           const azure::Call& call);

}  // namespace azlock::ops
