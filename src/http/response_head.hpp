// Reads an HTTP/1.x answer from raw bytes: pure, for answers that must be read without the HTTP library.
#pragma once

#include <optional>
#include <string_view>

#include "http/message.hpp"

namespace azlock::http {

struct ResponseHead {
    int status = 0;
    Headers headers;       // the values of a repeated field are joined by ", "
    std::size_t size = 0;  // bytes of the head, including its empty line
};

// The head at the start of `raw`. nullopt: not HTTP/1.x, or the head is not complete yet. Never throws.
[[nodiscard]] std::optional<ResponseHead> parse_response_head(std::string_view raw);

struct RawAnswer {
    Response response;
    bool complete = false;  // the body is as long as the head says
};

// The final answer (informational ones are skipped) with as much of its body as has come. nullopt if there is no whole
// head. `head_only`: the request was a HEAD, so no body follows, whatever the head says.
[[nodiscard]] std::optional<RawAnswer> parse_raw_answer(std::string_view raw, bool head_only);

}  // namespace azlock::http
