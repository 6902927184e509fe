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

// Removes "Z", "+02:00" or "-09:30" from the end. Returns how far such a clock is ahead of UTC.
std::optional<std::chrono::minutes> take_zone(std::string& text) {
    if (text.ends_with('Z')) {
        text.pop_back();
        return std::chrono::minutes(0);
    }
    if (text.size() < 6) return std::nullopt;
    const std::string zone = text.substr(text.size() - 6);
    const auto hours = parse_u64(zone.substr(1, 2));
    const auto minutes = parse_u64(zone.substr(4));
    if ((zone[0] != '+' && zone[0] != '-') || zone[3] != ':' || !hours || *hours > 23 || !minutes || *minutes > 59) {
        return std::nullopt;
    }
    text.resize(text.size() - zone.size());
    const auto span = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    return zone[0] == '+' ? span : -span;
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
    const auto ahead = take_zone(t);
    if (!ahead) return std::nullopt;
    if (t.size() == 16) t += ":00";
    if (t.size() > 20 && t[19] == '.' && t.find_first_not_of("0123456789", 20) == std::string::npos) t.resize(19);
    if (t.size() != 19 || t[4] != '-' || t[7] != '-' || (t[10] != 'T' && t[10] != ' ') || t[13] != ':' ||
        t[16] != ':') {
        return std::nullopt;
    }
    const auto month = parse_u64(std::string_view(t).substr(5, 2));
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    // That reader does not check the weekday against the date.
    const auto there =
        parse_http_date("Mon, " + t.substr(8, 2) + " " + std::string(kMonths[static_cast<std::size_t>(*month - 1)]) +
                        " " + t.substr(0, 4) + " " + t.substr(11, 8) + " GMT");
    if (!there) return std::nullopt;
    return *there - *ahead;
}

std::string format_iso8601(WallTime time) {
    const std::tm t = to_utc(time);
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", t.tm_year + 1900, t.tm_mon + 1,
                  t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
    return buffer.data();
}

}  // namespace azlock
