#include "base/quantity.hpp"

#include <array>
#include <optional>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock {
namespace {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): the extension is marked only so

// The number mantissa / scale. `scale` is a power of ten.
struct Decimal {
    std::uint64_t mantissa = 0;
    std::uint64_t scale = 1;
};

// Removes "12", "1.5" or ".5" from the front of `text`. nullopt if no number is there or it has too many digits.
std::optional<Decimal> take_decimal(std::string_view& text) {
    Decimal value;
    bool point = false;
    bool digit = false;
    std::size_t used = 0;
    for (; used < text.size(); ++used) {
        const char c = text[used];
        if (c == '.' && !point) {
            point = true;
            digit = false;  // a digit must follow
            continue;
        }
        if (!is_digit(c)) break;
        digit = true;
        if (__builtin_mul_overflow(value.mantissa, std::uint64_t{10}, &value.mantissa) ||
            __builtin_add_overflow(value.mantissa, static_cast<std::uint64_t>(c - '0'), &value.mantissa) ||
            (point && __builtin_mul_overflow(value.scale, std::uint64_t{10}, &value.scale))) {
            return std::nullopt;
        }
    }
    if (!digit) return std::nullopt;
    text.remove_prefix(used);
    return value;
}

struct DurationUnit {
    std::string_view name;
    std::uint64_t milliseconds;
};
constexpr std::array<DurationUnit, 5> kDurationUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr Wide kMaxMilliseconds = Wide{36'500} * 86'400'000;

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
    const auto milliseconds = [](Decimal value, std::uint64_t unit) {
        return (Wide{value.mantissa} * unit + value.scale - 1) / value.scale;
    };
    Wide total = 0;
    std::size_t allowed = 0;  // first unit that may still come
    bool first = true;
    do {
        const auto value = take_decimal(text);
        if (!value) return std::nullopt;
        std::size_t name_length = 0;
        while (name_length < text.size() && !is_digit(text[name_length]) && text[name_length] != '.') ++name_length;
        const std::string_view name = text.substr(0, name_length);
        if (name.empty()) {  // a number alone
            if (!first || !text.empty()) return std::nullopt;
            total = milliseconds(*value, 1'000);
            break;
        }
        while (allowed < kDurationUnits.size() && kDurationUnits[allowed].name != name) ++allowed;
        if (allowed == kDurationUnits.size()) return std::nullopt;
        total += milliseconds(*value, kDurationUnits[allowed].milliseconds);
        ++allowed;
        first = false;
        text.remove_prefix(name_length);
    } while (!text.empty());
    if (total > kMaxMilliseconds) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(total));
}

// The bytes of one unit; nullopt for an unknown name.
std::optional<std::uint64_t> size_unit(std::string_view name) {
    if (name.empty() || iequals(name, "b")) return 1;
    const std::size_t power = std::string_view("kmgtpe").find(to_lower(name.substr(0, 1)));
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view rest = name.substr(1);
    if (rest.empty() || iequals(rest, "ib")) return std::uint64_t{1} << (10U * (power + 1));
    if (!iequals(rest, "b")) return std::nullopt;
    std::uint64_t unit = 1'000;
    for (std::size_t i = 0; i < power; ++i) unit *= 1'000;
    return unit;
}

std::optional<std::uint64_t> read_size(std::string_view text) {
    const auto value = take_decimal(text);
    if (!value) return std::nullopt;
    const auto unit = size_unit(text);
    if (!unit || (*unit == 1 && value->scale != 1)) return std::nullopt;
    const Wide bytes = Wide{value->mantissa} * *unit / value->scale;
    if (bytes > UINT64_MAX) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

// 15 -> "1.5", 20 -> "2".
std::string tenths_text(std::uint64_t tenths) {
    std::string out = std::to_string(tenths / 10);
    if (tenths % 10 != 0) out += "." + std::to_string(tenths % 10);
    return out;
}

std::string two_units(std::uint64_t count, std::uint64_t small_per_large, std::string_view large,
                      std::string_view small) {
    std::string out = std::to_string(count / small_per_large) + " " + std::string(large);
    if (const auto rest = count % small_per_large; rest != 0) {
        out += " " + std::to_string(rest) + " " + std::string(small);
    }
    return out;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
    if (const auto value = read_duration(text)) return *value;
    return fail(ErrorCode::usage, in_quotes(text) + " is not a duration",
                "write 90 (seconds), 1.5s, 250ms, 1m30s, 2h or 1d; at most 36500d");
}

Result<std::uint64_t> parse_size(std::string_view text) {
    if (const auto value = read_size(text)) return *value;
    return fail(ErrorCode::usage, in_quotes(text) + " is not a size",
                "write bytes, or 512K, 8M or 8MiB (2^20), 8MB (10^6), 1.5G");
}

std::string format_bytes(std::uint64_t bytes) {
    static constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    std::size_t power = 1;
    std::uint64_t tenths = 0;
    for (; power < kUnits.size(); ++power) {
        const Wide unit = Wide{1} << (10U * power);
        tenths = static_cast<std::uint64_t>((Wide{bytes} * 10 + unit / 2) / unit);
        if (tenths < 10'240 || power + 1 == kUnits.size()) break;
    }
    return tenths_text(tenths) + " " + std::string(kUnits[power]);
}

std::string format_duration(std::chrono::milliseconds span) {
    if (span < std::chrono::milliseconds(0)) {
        return "-" +
               format_duration(span == std::chrono::milliseconds::min() ? std::chrono::milliseconds::max() : -span);
    }
    const auto ms = static_cast<std::uint64_t>(span.count());
    const auto rounded = [ms](std::uint64_t unit) { return ms / unit + (ms % unit >= (unit + 1) / 2 ? 1 : 0); };
    if (ms == 0) return "0 s";
    if (ms < 1'000) return std::to_string(ms) + " ms";
    if (rounded(100) < 100) return tenths_text(rounded(100)) + " s";
    if (rounded(1'000) < 60) return std::to_string(rounded(1'000)) + " s";
    if (rounded(1'000) < 3'600) return two_units(rounded(1'000), 60, "min", "s");
    if (rounded(60'000) < 24 * 60) return two_units(rounded(60'000), 60, "h", "min");
    return two_units(rounded(3'600'000), 24, "d", "h");
}

std::string format_count(std::uint64_t count, std::string_view one, std::string_view many) {
    std::string out = std::to_string(count) + " ";
    if (count == 1) return out.append(one);
    return many.empty() ? out.append(one).append("s") : out.append(many);
}

}  // namespace azlock
