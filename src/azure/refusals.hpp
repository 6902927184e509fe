// What a refusal of the service means. The names of the codes are the service's [Blob service error codes].
#pragma once

#include "base/error.hpp"
#include "http/retry.hpp"

namespace azlock::azure {

[[nodiscard]] inline bool is_missing_blob(const Error& error) {
    return error.service_code == "BlobNotFound";
}
[[nodiscard]] inline bool is_missing_container(const Error& error) {
    return error.service_code == "ContainerNotFound";
}
// The blob or its container does not exist. (A 404 without the service's code comes from somebody else.)
[[nodiscard]] inline bool is_missing(const Error& error) {
    return error.http_status == 404 && (is_missing_blob(error) || is_missing_container(error));
}
[[nodiscard]] inline bool is_existing_container(const Error& error) {
    return error.service_code == "ContainerAlreadyExists";
}
// 409 or 412 because of a lease: of somebody else, or not of the id that was given.
[[nodiscard]] inline bool is_lease_refusal(const Error& error) {
    return (error.http_status == 409 || error.http_status == 412) && error.service_code.starts_with("Lease");
}
// A write under If-None-Match: * found a blob; some services answer 412 if that blob is leased [Conditional headers].
[[nodiscard]] inline bool is_existing_blob(const Error& error) {
    return error.service_code == "BlobAlreadyExists" || error.service_code == "ConditionNotMet" ||
           error.service_code == "LeaseIdMissing";
}
// The credential is valid, and does not include this operation.
[[nodiscard]] inline bool lacks_permission(const Error& error) {
    return error.service_code == "AuthorizationPermissionMismatch";
}
// A page of somebody between us and the service, which is no sign of an outage: if it stays, the endpoint is wrong.
[[nodiscard]] inline bool is_foreign_page(const Error& error) {
    return error.fault == TransportFault::malformed && error.http_status >= 300 && error.http_status < 500 &&
           !http::is_transient_status(error.http_status);
}
// A condition on ETag or time was not met.
[[nodiscard]] inline bool is_condition_not_met(const Error& error) {
    return error.service_code == "ConditionNotMet";
}

}  // namespace azlock::azure
