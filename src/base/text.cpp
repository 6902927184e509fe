#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/encoding.hpp"

namespace azlock {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string to_lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

bool iequals(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool istarts_with(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() && iequals(text.substr(0, prefix.size()), prefix);
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    while (true) {
        const std::size_t end = text.find(separator, start);
        parts.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
        if (end == std::string_view::npos) return parts;
        start = end + 1;
    }
}

std::optional<std::uint64_t> parse_u64(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string printable(std::string_view text) {
    const bool utf8 = is_utf8(text);
    const auto byte_at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    std::string out;
    out.reserve(text.size());
    const auto escape = [&out](unsigned byte) {
        char escaped[5];
        std::snprintf(escaped, sizeof escaped, "\\x%02X", byte & 0xFFU);
        out += escaped;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned byte = byte_at(i);
        if (utf8 && byte == 0xC2 && byte_at(i + 1) < 0xA0) {  // U+0080 to U+009F control terminals too
            escape(byte);
            escape(byte_at(++i));
        } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) {
            escape(byte);
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    return "'" + printable(text) + "'";
}

}  // namespace azlock
