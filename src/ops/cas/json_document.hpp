// A JSON document that keeps its order of keys, its indentation and its numbers when a part of it is changed.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.hpp"

namespace azlock::ops {

using Document = nlohmann::ordered_json;

// Error (data): not JSON in UTF-8, nested deeper than 500 levels, a key twice in one object, or a number that cannot be
// kept exactly. The message starts with `what`.
[[nodiscard]] Result<Document> read_document(std::string_view text, const std::string& what);

// Writes the document in the format of `like`: on one line or with its indentation, and with a last line end if `like`
// has one. Line ends are LF.
[[nodiscard]] std::string write_document(const Document& document, std::string_view like);

}  // namespace azlock::ops
