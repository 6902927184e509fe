// An error as one line for people, without secrets and control characters.
#pragma once

#include <string>

#include "base/error.hpp"

namespace azlock {

// "cannot read the blob: it does not exist (Get Blob of c/b, HTTP 404 BlobNotFound, request id ...)"
[[nodiscard]] std::string error_text(const Error& error);

}  // namespace azlock
