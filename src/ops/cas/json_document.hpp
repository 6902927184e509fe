// A JSON document that is changed without being changed elsewhere: order of keys, indentation, digits of numbers.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.hpp"

namespace azlock::ops {

using Document = nlohmann::ordered_json;

// Error (data): not JSON in UTF-8, nested deeper than 500 levels, a key twice in one object, or a number that cannot be
// kept exactly; it names `what` and the place.
[[nodiscard]] Result<Document> read_document(std::string_view text, const std::string& what);

// As `like` was written: on one line or with its indentation, and with its last line end.
[[nodiscard]] std::string write_document(const Document& document, std::string_view like);

}  // namespace azlock::ops
