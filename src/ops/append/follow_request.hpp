// What a user asks of a download with regard to following the blob, and what does not go together.
#pragma once

#include <optional>
#include <string>

#include "ops/append/follow_blob.hpp"

namespace azlock::ops {

struct FollowRequest {
    bool follow = false;
    std::string file;  // "-": standard output; empty: a file named after the blob
    bool json = false;
    azure::Conditions conditions;
    std::string etag_file;
    std::optional<std::chrono::milliseconds> retry_for;
    bool from_end = false;
    std::optional<std::chrono::milliseconds> interval;  // nullopt: FollowOptions
};

// nullopt: the blob is downloaded and not followed. Error: usage.
[[nodiscard]] Result<std::optional<FollowOptions>> make_follow_options(const FollowRequest& request);

}  // namespace azlock::ops
