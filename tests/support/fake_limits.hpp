// What the fake service decides about a request before it reads the body: version, size, public access.
#pragma once

#include "support/fake_store.hpp"

namespace azlock::test::fake {

// Refuses versions that the service does not know, and none at all.
[[nodiscard]] Check check_version(const Call& call);
// 413 by operation and version, or by the smaller limits of the test.
[[nodiscard]] Check check_body_size(const Call& call, const Limits& limits);
// Blobs (and listings) of a public container can be read without credentials.
[[nodiscard]] bool is_public_read(Store& store, const Call& call);

}  // namespace azlock::test::fake
