// Renew, change and release a lease: repeatable, and a refusal says how the lease stands.
#pragma once

#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// Success only where the service names our id. Lease ids are canonical (azure::canonical_lease_id). Refusals are
// `busy` where somebody else holds the lease and `precondition` otherwise.
[[nodiscard]] Status renew_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                 const std::string& lease_id, const azure::Call& call);
// After it the lease has the id `to`, also where it had it before.
[[nodiscard]] Status change_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                  const std::string& lease_id, const std::string& to, const azure::Call& call);
[[nodiscard]] Status release_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                   const std::string& lease_id, const azure::Call& call);

// Like renew_lease, but a refusal keeps the service's words and costs no second request.
[[nodiscard]] Status renew_once(azure::BlobClient& client, const azure::BlobAddress& target,
                                const std::string& lease_id, const azure::Call& call);

}  // namespace azlock::ops
