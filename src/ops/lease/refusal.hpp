// The service's refusals of lease actions in words: how the lease stands, and what can be done.
#pragma once

#include "ops/lease/view.hpp"

namespace azlock::ops {

enum class LeaseAction { acquire, renew, change, release };

// The error with a sentence of its own for the action, its service code and the state that a look afterwards showed.
// An id that does not hold a lease that somebody else holds is `busy`, any other is `precondition`. Errors that are no
// refusals of the lease come back as they are, and those that nobody could look at keep their general sentence.
[[nodiscard]] Error explain_refusal(LeaseAction action, Error error, const std::optional<LeaseView>& seen);

// The same, with the look.
[[nodiscard]] Error explain_refusal(LeaseAction action, Error error, azure::BlobClient& client,
                                    const azure::BlobAddress& target, const azure::Call& call);

// The service says for certain that the lease is not (or no longer) held under the id: somebody else may have it.
[[nodiscard]] bool is_definitive(const Error& error);

}  // namespace azlock::ops
