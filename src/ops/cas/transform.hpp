// How a compare-and-swap update makes the new content out of the old.
#pragma once

#include <functional>
#include <string>

#include "azure/pipeline.hpp"
#include "base/encoding.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// What was read. Valid during the call.
struct CasInput {
    bool exists = false;  // false: there is no blob, and the content is what to start from
    std::string etag;     // empty where there is no blob
    int attempt = 1;
    ByteView content;
    int fd = -1;  // the same content, at its beginning

    [[nodiscard]] std::string_view text() const {
        return {reinterpret_cast<const char*>(content.data()), content.size()};
    }
};

struct CasOutput {
    bool skip = false;  // leave the blob as it is
    std::string content;
    std::string value = {};  // what the update comes to, in a word: to be printed when it is done
};

// Is called again with each new version that has to be updated. An error ends the update, with nothing written.
using CasTransform = std::function<Result<CasOutput>(const CasInput& input, const azure::Call& call)>;

}  // namespace azlock::ops
