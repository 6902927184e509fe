#include "base/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace azlock {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xFF;

constexpr std::array<std::uint8_t, 256> make_base64_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(kInvalid);
    for (std::size_t i = 0; i < kBase64.size(); ++i) {
        values[static_cast<unsigned char>(kBase64[i])] = static_cast<std::uint8_t>(i);
    }
    return values;
}
constexpr auto kBase64Values = make_base64_values();

bool is_unreserved(char c) {
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

std::string encode_except(std::string_view raw, char keep) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(raw.size());
    for (const char c : raw) {
        if (is_unreserved(c) || (keep != '\0' && c == keep)) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
        }
    }
    return out;
}

// The byte that the two hex digits at `at` mean; -1: there are none.
int hex_byte(std::string_view text, std::size_t at) {
    if (at + 2 > text.size() || hex_value(text[at]) < 0 || hex_value(text[at + 1]) < 0) return -1;
    return hex_value(text[at]) * 16 + hex_value(text[at + 1]);
}

}  // namespace

int hex_value(char digit) {
    if (is_digit(digit)) return digit - '0';
    const auto at = std::string_view("abcdefABCDEF").find(digit);
    return at == std::string_view::npos ? -1 : static_cast<int>(10 + at % 6);
}

std::string base64_encode(ByteView data) {
    std::string out;
    out.reserve((data.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, data.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = (group << 8U) | (k < n ? std::to_integer<std::uint32_t>(data[i + k]) : 0U);
        }
        out += kBase64[group >> 18U];
        out += kBase64[(group >> 12U) & 63U];
        out += n > 1 ? kBase64[(group >> 6U) & 63U] : '=';
        out += n > 2 ? kBase64[group & 63U] : '=';
    }
    return out;
}

std::optional<Bytes> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    if (!text.empty() && text.back() == '=') padding = text[text.size() - 2] == '=' ? 2 : 1;
    Bytes out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t digits = last ? 4 - padding : 4;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            std::uint32_t value = 0;
            if (k < digits) {
                value = kBase64Values[static_cast<unsigned char>(text[i + k])];
                if (value == kInvalid) return std::nullopt;
            }
            group = (group << 6U) | value;
        }
        if ((digits == 3 && (group & 0xFFU) != 0) || (digits == 2 && (group & 0xFFFFU) != 0)) return std::nullopt;
        out.push_back(static_cast<std::byte>(group >> 16U));
        if (digits > 2) out.push_back(static_cast<std::byte>((group >> 8U) & 0xFFU));
        if (digits > 3) out.push_back(static_cast<std::byte>(group & 0xFFU));
    }
    return out;
}

std::string base64url_encode(ByteView data) {
    std::string out = base64_encode(data);
    out.erase(std::min(out.find('='), out.size()));
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
}

std::optional<Bytes> base64url_decode(std::string_view text) {
    std::string plain(text);
    for (char& c : plain) {
        if (c == '+' || c == '/' || c == '=') return std::nullopt;
        c = c == '-' ? '+' : c == '_' ? '/' : c;
    }
    plain.append((4 - plain.size() % 4) % 4, '=');
    return base64_decode(plain);
}

std::optional<Bytes> hex_decode(std::string_view text) {
    Bytes out;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int byte = hex_byte(text, i);
        if (byte < 0) return std::nullopt;
        out.push_back(static_cast<std::byte>(byte));
    }
    return out;
}

std::string hex_encode(ByteView data) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    out.reserve(data.size() * 2);
    for (const std::byte b : data) {
        out += {kHex[std::to_integer<unsigned>(b) >> 4U], kHex[std::to_integer<unsigned>(b) & 0xFU]};
    }
    return out;
}

std::string percent_encode(std::string_view raw) {
    return encode_except(raw, '\0');
}

std::string percent_encode_path(std::string_view raw) {
    return encode_except(raw, '/');
}

std::optional<std::string> percent_decode(std::string_view encoded) {
    std::string out;
    out.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] != '%') {
            out += encoded[i];
            continue;
        }
        const int byte = hex_byte(encoded, i + 1);
        if (byte < 0) return std::nullopt;
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

std::optional<char32_t> next_utf8(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80   ? 1
                             : lead < 0xC0 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF8 ? 4
                                           : 0;
    if (size == 0 || size > text.size() - at) return std::nullopt;
    constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    char32_t value = size == 1 ? lead : lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xC0U) != 0x80) return std::nullopt;
        value = (value << 6U) | (next & 0x3FU);
    }
    if (value < kLeast[size - 1] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return std::nullopt;
    at += size;
    return value;
}

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (!next_utf8(text, at)) return false;
    }
    return true;
}

}  // namespace azlock
