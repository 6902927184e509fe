// Explains why the service refused a lease action: the state of the lease, and what to do.
#pragma once

#include "ops/lease/view.hpp"

namespace azlock::ops {

enum class LeaseAction { acquire, renew, change, release };

// The error with a message for this action, its service code and the lease state that a look afterwards showed. Its
// code is `busy` if somebody else holds the lease or an acquire may succeed later, else `precondition`. An error that
// is not a refusal of the lease is returned unchanged. Without `seen` the general message stays.
[[nodiscard]] Error explain_refusal(LeaseAction action, Error error, const std::optional<LeaseView>& seen);

// The same, but looks at the lease itself.
[[nodiscard]] Error explain_refusal(LeaseAction action, Error error, azure::BlobClient& client,
                                    const azure::BlobAddress& target, const azure::Call& call);

// The service says for certain that the lease is not (or no longer) held under the id: somebody else may have it.
[[nodiscard]] bool is_definitive(const Error& error);

}  // namespace azlock::ops
