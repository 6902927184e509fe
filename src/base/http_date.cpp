#include "base/http_date.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.hpp"

namespace azlock {
namespace {

constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::tm to_utc(WallTime time) {
    const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    std::tm out{};
    gmtime_r(&seconds, &out);
    return out;
}

template <std::size_t N>
std::optional<int> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == name) return static_cast<int>(i);
    }
    return std::nullopt;
}

}  // namespace

std::string format_http_date(WallTime time) {
    const std::tm t = to_utc(time);
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                  kDays[static_cast<std::size_t>(t.tm_wday)].data(), t.tm_mday,
                  kMonths[static_cast<std::size_t>(t.tm_mon)].data(), t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    return buffer.data();
}

std::optional<WallTime> parse_http_date(std::string_view text) {
    // "Fri, 26 Jun 2015 23:39:12 GMT": every field has its fixed place.
    if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' || text[16] != ' ' ||
        text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
        return std::nullopt;
    }
    const auto weekday = index_of(kDays, text.substr(0, 3));
    const auto day = parse_u64(text.substr(5, 2));
    const auto month = index_of(kMonths, text.substr(8, 3));
    const auto year = parse_u64(text.substr(12, 4));
    const auto hour = parse_u64(text.substr(17, 2));
    const auto minute = parse_u64(text.substr(20, 2));
    const auto second = parse_u64(text.substr(23, 2));
    if (!weekday || !day || !month || !year || !hour || !minute || !second) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month + 1)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    // system_clock counts nanoseconds in 64 bits, which end in the year 2262.
    if (!date.ok() || *year < 1970 || *year > 2261 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
           std::chrono::seconds(*second);
}

std::optional<WallTime> parse_iso8601(std::string_view text) {
    std::string t(text);
    if (t.size() == 10) t += "T00:00:00Z";
    if (const std::size_t fraction = t.find('.'); fraction == 19 && t.size() > 21 && t.ends_with('Z')) {
        if (t.find_first_not_of("0123456789", 20) != t.size() - 1) return std::nullopt;
        t.erase(19, t.size() - 20);
    }
    if (t.size() != 20 || t[4] != '-' || t[7] != '-' || (t[10] != 'T' && t[10] != ' ') || t[13] != ':' ||
        t[16] != ':' || t[19] != 'Z') {
        return std::nullopt;
    }
    const auto month = parse_u64(std::string_view(t).substr(5, 2));
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    // That reader does not check the weekday against the date.
    return parse_http_date("Mon, " + t.substr(8, 2) + " " + std::string(kMonths[static_cast<std::size_t>(*month - 1)]) +
                           " " + t.substr(0, 4) + " " + t.substr(11, 8) + " GMT");
}

std::string format_iso8601(WallTime time) {
    const std::tm t = to_utc(time);
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1,
                  t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
    return buffer.data();
}

}  // namespace azlock
