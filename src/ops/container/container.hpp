// Makes and deletes containers.
#pragma once

#include <functional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// True: it was made; false: it existed already, and `if_absent` allows that. Errors: those of the request.
[[nodiscard]] Result<bool> create_container(azure::BlobClient& client, const std::string& container,
                                            const azure::Metadata& metadata, bool if_absent, const azure::Call& call);

struct DeleteContainer {
    std::string lease_id;
    bool dry_run = false;    // only look
    bool confirmed = false;  // do not ask
    bool force = false;      // even if a blob in it is leased, or the command of a lock in it may run
    // Asks the operator, who must type the container's name. Empty: nobody can be asked.
    std::function<Result<std::string>(const std::string& question)> ask;
};

// Deletes the container and all blobs in it. True: deleted; false: a dry run found it. Errors: usage (not confirmed);
// busy (a blob in it is leased, or the command of a lock in it may run); those of `ask` and of the requests.
[[nodiscard]] Result<bool> delete_container(azure::BlobClient& client, const std::string& container,
                                            const DeleteContainer& order, const azure::Call& call);

}  // namespace azlock::ops
