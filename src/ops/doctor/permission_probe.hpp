// Finds out what a credential may do: with requests that change nothing, or on a blob that is created for this.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "azure/client.hpp"

namespace azlock::ops {

struct Probe {
    enum class Outcome {
        allowed,
        refused,   // `error` is the service's refusal
        unknown,   // no answer decides it; `error` is the answer that came
        untested,  // `note` says why
    };
    std::string permission;  // read, list, write, lease, delete, create_container
    Outcome outcome = Outcome::untested;
    std::string note = {};
    std::optional<Error> error = {};
};

// One HEAD of the blob (for a container: of a blob that does not exist). Call it first: its outcome shows whether the
// service answers, the credential works and the container exists.
[[nodiscard]] Probe probe_read(azure::BlobClient& client, const azure::BlobAddress& target, const azure::Call& call);

// Probes list, write, lease, delete and create_container in a container that exists. All except the listing are
// requests that the service refuses for another reason if the credential has the permission: a write over a version
// that does not exist, a lease on and a delete of a blob that does not exist, the creation of a container that exists
// already.
[[nodiscard]] std::vector<Probe> probe_permissions(azure::BlobClient& client, const std::string& container,
                                                   const azure::Call& call);

// Probes write, read, lease and delete with a real blob "azlock-doctor-UUID" in that container. The blob is always
// deleted; `last_call` makes the call for that. If the delete fails, the note of "delete" names the blob. Call this
// only if probe_permissions() found that delete is allowed.
[[nodiscard]] std::vector<Probe> probe_with_blob(azure::BlobClient& client, const std::string& container,
                                                 const azure::Call& call,
                                                 const std::function<azure::Call()>& last_call);

}  // namespace azlock::ops
