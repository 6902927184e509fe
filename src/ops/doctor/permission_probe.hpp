// Finds out what a credential may do, by requests that cannot do anything, or on a blob made for it.
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
        unknown,   // there was no answer that tells; `error` says which there was
        untested,  // `note` says why
    };
    std::string permission;  // read, list, write, lease, delete, create_container
    Outcome outcome = Outcome::untested;
    std::string note = {};
    std::optional<Error> error = {};
};

// Names a blob that nobody has: "azlock-doctor-" and a random UUID.
[[nodiscard]] std::string probe_name(Random& random);

// One request to the blob (a container: to a blob that is not there). First of all, because its outcome tells whether
// the service, the credential and the container are there at all.
[[nodiscard]] Probe probe_read(azure::BlobClient& client, const azure::BlobAddress& target, const azure::Call& call);

// list, write, lease, delete and create_container in a container that exists. Each is a request that the service
// refuses for another reason once it has found that the credential may make it: a write of a version that there is not,
// a lease on and the deletion of a blob that there is not, a container that exists already.
[[nodiscard]] std::vector<Probe> probe_permissions(azure::BlobClient& client, const std::string& container,
                                                   const azure::Call& call);

// write, read, lease and delete for once in earnest: with a blob of probe_name() in that container, which is deleted
// whatever happens; `last_call` makes the call for that. A blob that could not be deleted is named in the note of
// "delete". To be called only where probe_permissions() found delete allowed.
[[nodiscard]] std::vector<Probe> probe_with_blob(azure::BlobClient& client, const std::string& container,
                                                 const azure::Call& call,
                                                 const std::function<azure::Call()>& last_call);

}  // namespace azlock::ops
