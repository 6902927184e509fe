// Entries of a blob's metadata, whose names the service compares without case, and texts in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "azure/types.hpp"

namespace azlock::azure {

// The value, without blanks around it; nullopt if there is no entry of this name.
[[nodiscard]] std::optional<std::string> find_metadata(const Metadata& metadata, std::string_view name);
// Removes the entry, in whatever case its name is written.
void erase_metadata(Metadata& metadata, std::string_view name);

// A text in a form that a header can carry: printable ASCII without '%', and single blanks inside, stay; the rest
// becomes %XX. At most `limit` bytes: the text is cut at the end, at a whole UTF-8 character.
[[nodiscard]] std::string encode_metadata_text(std::string_view text, std::size_t limit);
// The same, but the text is cut at its beginning.
[[nodiscard]] std::string encode_metadata_tail(std::string_view text, std::size_t limit);
// The text again; the value itself if it is not in that form.
[[nodiscard]] std::string decode_metadata_text(const std::string& value);

}  // namespace azlock::azure
