// Updates of JSON documents: merge patch (RFC 7396) and JSON patch (RFC 6902).
#pragma once

#include "ops/cas/transform.hpp"

namespace azlock::ops {

// The document keeps the order of its keys, its indentation, its line ends and the text of each number. Empty content
// counts as {}. A patch that changes nothing leaves every byte as it is; one that writes a number in another way (1.0
// for 1) changes it.
// Error (data): the patch is not JSON. `patch_name` is for messages. Error of the transform (data): the content is not
// JSON.
[[nodiscard]] Result<CasTransform> merge_patch(const std::string& patch, const std::string& patch_name);
// More errors (data): the patch is not an array. More errors of the transform: precondition (a `test` of the patch does
// not hold), data (the patch does not fit the document).
[[nodiscard]] Result<CasTransform> json_patch(const std::string& patch, const std::string& patch_name);

}  // namespace azlock::ops
