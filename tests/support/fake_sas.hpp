// A service SAS and a user delegation SAS as the service checks them, written from the published rule alone: the
// opposite side of azure/sas_grant.
#pragma once

#include "support/fake_auth.hpp"

namespace azlock::test::fake {

// True if the query of the request has a SAS for a container or blob.
[[nodiscard]] bool has_service_sas(const Call& call);

// Signature, times (those of a user's key, too), protocol, and that the operation is one of a blob (or a listing, of a
// container). Not: the permissions, the address of the caller.
[[nodiscard]] Check check_service_sas(const Call& call, const Credentials& credentials);

}  // namespace azlock::test::fake
