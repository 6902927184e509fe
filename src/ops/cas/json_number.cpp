#include "ops/cas/json_number.hpp"

#include <charconv>

namespace azlock::ops {
namespace {

constexpr std::size_t kMaxExponentDigits = 9;

std::optional<std::int64_t> read_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.size() > kMaxExponentDigits) return std::nullopt;
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return negative ? -value : value;
}

}  // namespace

std::optional<Decimal> read_decimal(std::string_view text) {
    Decimal out;
    out.negative = text.starts_with('-');
    if (out.negative) text.remove_prefix(1);
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        const auto exponent = read_exponent(text.substr(e + 1));
        if (!exponent) return std::nullopt;
        out.exponent = *exponent;
        text = text.substr(0, e);
    }
    const std::size_t point = std::min(text.find('.'), text.size());
    out.digits = text.substr(0, point);
    if (point < text.size()) out.digits += text.substr(point + 1);
    const std::size_t first = out.digits.find_first_not_of('0');
    if (first == std::string::npos) return Decimal{};
    out.exponent += static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    out.digits = out.digits.substr(first, out.digits.find_last_not_of('0') - first + 1);
    return out;
}

}  // namespace azlock::ops
