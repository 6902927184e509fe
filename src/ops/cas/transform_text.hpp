// Updates of small texts: a counter, a line at the end, other content altogether.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ops/cas/transform.hpp"

namespace azlock::ops {

// The content is a decimal integer of 64 bits with sign, with or without a line end, which stays as it is; no content
// at all is 0. Errors (data): it is not, or the sum does not fit.
[[nodiscard]] CasTransform add_integer(std::int64_t amount);

// `line` has no line end: it gets one, and so does a last line of the old content that has none. Where the old content
// ends its lines with CR LF, so does this.
[[nodiscard]] CasTransform append_line(std::string line);

[[nodiscard]] CasTransform replace_by(std::string content);

// "-17", "+5": the whole text. nullopt for anything else, and for what does not fit.
[[nodiscard]] std::optional<std::int64_t> parse_i64(std::string_view text);

}  // namespace azlock::ops
