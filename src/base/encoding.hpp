// Base64, hex, percent-encoding and UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace azlock {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

[[nodiscard]] inline ByteView as_bytes(std::string_view text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// ASCII only.
[[nodiscard]] constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
[[nodiscard]] constexpr bool is_alnum(char c) {
    return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}

// RFC 4648 Base64 with padding.
[[nodiscard]] std::string base64_encode(ByteView data);
// Strict: padding is required, white space is not allowed, and unused bits must be 0. nullopt for anything else.
[[nodiscard]] std::optional<Bytes> base64_decode(std::string_view text);

// The same for the letters of a URL ('-' and '_' for '+' and '/'), without padding: the parts of a JWT.
[[nodiscard]] std::string base64url_encode(ByteView data);
[[nodiscard]] std::optional<Bytes> base64url_decode(std::string_view text);

// The value of a hex digit, in upper or lower case; -1 for another character.
[[nodiscard]] int hex_value(char digit);
[[nodiscard]] std::string hex_encode(ByteView data);
// nullopt unless the text is pairs of hex digits. Upper and lower case are allowed.
[[nodiscard]] std::optional<Bytes> hex_decode(std::string_view text);

// Percent-encodes every byte except the unreserved ones of RFC 3986 (A-Z a-z 0-9 - . _ ~).
[[nodiscard]] std::string percent_encode(std::string_view raw);
// The same, but '/' is not encoded: for a blob name in a path.
[[nodiscard]] std::string percent_encode_path(std::string_view raw);
// Decodes %XX; '+' stays '+'. nullopt for a '%' without two hex digits.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view encoded);

// The UTF-8 character at `at`, and moves `at` behind it. nullopt if it is not well-formed (overlong, a surrogate).
[[nodiscard]] std::optional<char32_t> next_utf8(std::string_view text, std::size_t& at);
// True if `text` is well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace azlock
