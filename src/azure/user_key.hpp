// A key with which a login signs a SAS, as the service gave it [Get User Delegation Key].
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/secret.hpp"

namespace azlock::azure {

// The texts go into the SAS as they came: they are signed.
struct UserKey {
    std::string object_id;
    std::string tenant;
    std::string start;
    std::string end;
    std::string service;
    std::string version;
    Secret key;     // decoded
    WallTime ends;  // `end`, as a time: a SAS ends with its key
};

}  // namespace azlock::azure
