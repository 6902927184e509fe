// One function for each operation of the fake service. The caller holds the service's lock.
#pragma once

#include "support/fake_store.hpp"

namespace azlock::test::fake {

// fake_write.cpp
[[nodiscard]] Reply put_blob(Store& store, const Call& call);
[[nodiscard]] Reply set_metadata(Store& store, const Call& call);
[[nodiscard]] Reply set_properties(Store& store, const Call& call);
[[nodiscard]] Reply delete_blob(Store& store, const Call& call);
[[nodiscard]] Reply lease_blob(Store& store, const Call& call);
// What every write checks first: the container, the lease, the conditions.
[[nodiscard]] Check check_blob_write(Store& store, const Call& call, Star star);
// The content properties from the x-ms-blob-* headers; with `fall_back` also from the standard headers.
[[nodiscard]] Properties read_properties(const Call& call, bool fall_back);
[[nodiscard]] bool any_property(const Call& call);

// fake_blocks.cpp
[[nodiscard]] Reply put_block(Store& store, const Call& call);
[[nodiscard]] Reply put_block_list(Store& store, const Call& call);
[[nodiscard]] Reply get_tags(Store& store, const Call& call);
[[nodiscard]] Reply get_block_list(Store& store, const Call& call);

// fake_append.cpp
[[nodiscard]] Reply append_block(Store& store, const Call& call);
[[nodiscard]] Reply seal_blob(Store& store, const Call& call);

// fake_read.cpp
[[nodiscard]] Reply get_blob(Store& store, const Call& call);
[[nodiscard]] Reply get_properties(Store& store, const Call& call);
[[nodiscard]] Reply get_metadata(Store& store, const Call& call);

// fake_container.cpp
[[nodiscard]] Reply create_container(Store& store, const Call& call);
[[nodiscard]] Reply delete_container(Store& store, const Call& call);
[[nodiscard]] Reply get_container(Store& store, const Call& call);
[[nodiscard]] Reply set_container_metadata(Store& store, const Call& call);
[[nodiscard]] Reply lease_container(Store& store, const Call& call);

// fake_sas.cpp
[[nodiscard]] Reply get_user_key(Store& store, const Call& call);

// fake_list.cpp
[[nodiscard]] Reply list_blobs(Store& store, const Call& call);
[[nodiscard]] Reply list_containers(Store& store, const Call& call);

}  // namespace azlock::test::fake
