// Looks at a blob or container: what the service knows about it.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "azure/client.hpp"

namespace azlock::ops {

using Seen = std::variant<azure::BlobProperties, azure::ContainerProperties>;

// Gives `take` the properties of the blob, or of the container if the address names no blob. After that the blob's ETag
// is saved in `etag_file`, unless that is empty. Errors: usage (a condition or an ETag file for a container), io, and
// those of the request and of `take`.
[[nodiscard]] Status look(azure::BlobClient& client, const azure::BlobAddress& target,
                          const azure::Conditions& conditions, const std::string& etag_file,
                          const std::function<Status(const Seen& seen)>& take, const azure::Call& call);

}  // namespace azlock::ops
