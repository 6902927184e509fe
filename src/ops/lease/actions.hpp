// Renews, changes and releases a lease. Each action can be repeated, and a refusal names the state of the lease.
#pragma once

#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// Succeeds only if the service answers with our id. Lease ids are canonical (azure::canonical_lease_id). A refusal is
// `busy` if somebody else holds the lease, else `precondition`.
[[nodiscard]] Status renew_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                 const std::string& lease_id, const azure::Call& call);
// Gives the lease the id `to`. It is no error if the lease has that id already.
[[nodiscard]] Status change_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                  const std::string& lease_id, const std::string& to, const azure::Call& call);
// After a signal a lease is released within kLeaseReleaseTime; a command that does so needs kLeaseStopTime to end.
inline constexpr std::chrono::seconds kLeaseReleaseTime{5};
inline constexpr std::chrono::seconds kLeaseStopTime{6};
[[nodiscard]] Status release_lease(azure::BlobClient& client, const azure::BlobAddress& target,
                                   const std::string& lease_id, const azure::Call& call);

// Like renew_lease(), but a refusal keeps the general message and costs no second request.
[[nodiscard]] Status renew_once(azure::BlobClient& client, const azure::BlobAddress& target,
                                const std::string& lease_id, const azure::Call& call);

}  // namespace azlock::ops
