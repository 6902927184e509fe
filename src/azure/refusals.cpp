#include "azure/refusals.hpp"

namespace azlock::azure {

bool is_missing(const Error& error) {
    return error.http_status == 404 && (is_missing_blob(error) || is_missing_container(error));
}

bool is_missing_blob(const Error& error) {
    return error.service_code == "BlobNotFound";
}

bool is_missing_container(const Error& error) {
    return error.service_code == "ContainerNotFound";
}

bool is_existing_container(const Error& error) {
    return error.service_code == "ContainerAlreadyExists";
}

bool is_lease_refusal(const Error& error) {
    return (error.http_status == 409 || error.http_status == 412) && error.service_code.starts_with("Lease");
}

bool is_condition_not_met(const Error& error) {
    return error.service_code == "ConditionNotMet";
}

}  // namespace azlock::azure
