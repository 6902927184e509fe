// Small helpers for ASCII text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace azlock {

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] bool iequals(std::string_view a, std::string_view b);
[[nodiscard]] bool istarts_with(std::string_view text, std::string_view prefix);
// Removes blanks, tabs, CR and LF at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
// "a;;b" -> {"a", "", "b"}; an empty text gives one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// The whole text must be decimal digits, without a sign. Else, or on overflow: nullopt.
[[nodiscard]] std::optional<std::uint64_t> parse_u64(std::string_view text);
// For one line of a terminal or log: control characters and invalid UTF-8 become \xNN.
[[nodiscard]] std::string printable(std::string_view text);

// Whether the byte of a UTF-8 text belongs to the character of the byte before it.
[[nodiscard]] constexpr bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
// The same between single quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace azlock
