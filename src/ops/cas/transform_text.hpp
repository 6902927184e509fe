// Updates of small texts: add to a counter, append a line, replace the whole content.
#pragma once

#include "ops/cas/transform.hpp"

namespace azlock::ops {

// The content is a signed 64-bit decimal integer. A line end after it is kept. Empty content counts as 0. Errors
// (data): the content is not such a number, or the sum does not fit.
[[nodiscard]] CasTransform add_integer(std::int64_t amount);

// `line` comes without a line end and gets one. If the last line of the old content lacks a line end, it gets one too.
// The line end is CR LF if the first line of the old content ends with it, else LF.
[[nodiscard]] CasTransform append_line(std::string line);

[[nodiscard]] CasTransform replace_by(std::string content);

// Reads the whole text, such as "-17" or "+5". nullopt: it is not an integer, or it does not fit into 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_i64(std::string_view text);

}  // namespace azlock::ops
