// Says what a SAS has to do with the refusal of a request.
#pragma once

#include "azure/requests.hpp"
#include "azure/sas.hpp"
#include "base/error.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// Replaces message and hint of `error` if the SAS of the request explains it: it has ended or not begun (which the Date
// of the answer proves), lacks the permission, or is not for this address, protocol or kind of request. Does nothing
// for other credentials and other errors.
void explain_sas(const Operation& op, const http::Response& response, Error& error);

// False if the SAS does not permit this operation for sure.
[[nodiscard]] bool may_permit(const SasTerms& sas, const Operation& op);

}  // namespace azlock::azure
