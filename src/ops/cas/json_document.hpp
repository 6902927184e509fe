// A JSON document that keeps its order of keys, its numbers and its line format when a part of it is changed.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.hpp"

namespace azlock::ops {

// A number whose text the library would change ("1.50", "-0", 30 digits) is a binary value that holds the text. So
// documents come only from read_document(), and are compared and written only by the functions below.
using Document = nlohmann::ordered_json;

// Error (data): not JSON in UTF-8, nested deeper than 500 levels, a key twice in one object, or a number out of the
// range of a double. The message starts with `what`.
[[nodiscard]] Result<Document> read_document(std::string_view text, const std::string& what);

// Writes the document in the format of `like`: on one line or with its indentation, with its kind of line end, and with
// what it has before and behind the JSON (byte order mark, last line end). Numbers have the text that was read.
[[nodiscard]] std::string write_document(const Document& document, std::string_view like);

// The same keys in the same order, and each number with the same text.
[[nodiscard]] bool is_identical(const Document& a, const Document& b);

// Equal as RFC 6902 defines it: the order of keys does not matter, and numbers are equal if their exact values are.
[[nodiscard]] bool is_equal(const Document& a, const Document& b);

}  // namespace azlock::ops
