// What the fake service decides about a request before it reads the body: version, size, public access.
#pragma once

#include "support/fake_store.hpp"

namespace azlock::test::fake {

// Refuses a version that the service does not know, and a request without a version.
[[nodiscard]] Check check_version(const Call& call);
// Refuses with 413 a body over the limit of its operation and version, or over the test's smaller limit.
[[nodiscard]] Check check_body_size(const Call& call, const Limits& limits);
// Blobs (and listings) of a public container can be read without credentials.
[[nodiscard]] bool is_public_read(Store& store, const Call& call);

}  // namespace azlock::test::fake
