// How a compare-and-swap update makes the new content from the old.
#pragma once

#include <functional>

#include "azure/pipeline.hpp"

namespace azlock::ops {

// What was read. Valid during the call.
struct CasInput {
    bool exists = false;  // false: there is no blob, and `content` is the initial content
    std::string etag;     // empty if there is no blob
    int tries = 1;        // versions that were tried, with this one
    ByteView content;
    int fd = -1;  // the same content, at its beginning

    [[nodiscard]] std::string_view text() const {
        return {reinterpret_cast<const char*>(content.data()), content.size()};
    }
};

struct CasOutput {
    bool skip = false;  // leave the blob as it is
    std::string content;
    std::optional<std::int64_t> value = {};  // the result of the update; printed when the update is done
};

// Called for each version that must be updated. An error ends the update, and nothing is written.
using CasTransform = std::function<Result<CasOutput>(const CasInput& input, const azure::Call& call)>;

}  // namespace azlock::ops
