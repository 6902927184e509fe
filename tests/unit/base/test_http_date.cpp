// base/http_date: the RFC 1123 form both ways, and ISO 8601 for people.
#include <chrono>
#include <string>

#include "base/http_date.hpp"
#include "support/catch.hpp"

using namespace azlock;
using std::chrono::seconds;

namespace {

WallTime at(std::int64_t unix_seconds) {
    return WallTime(seconds(unix_seconds));
}

}  // namespace

TEST_CASE("published dates are written and read") {
    CHECK(format_http_date(at(1'435'361'952)) == "Fri, 26 Jun 2015 23:39:12 GMT");
    CHECK(parse_http_date("Fri, 26 Jun 2015 23:39:12 GMT") == at(1'435'361'952));
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == at(784'111'777));
    CHECK(format_http_date(at(784'111'777)) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(format_http_date(at(0)) == "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT") == at(0));
    CHECK(format_iso8601(at(1'435'361'952)) == "2015-06-26T23:39:12Z");
    CHECK(format_iso8601(at(0)) == "1970-01-01T00:00:00Z");
}

TEST_CASE("parts of a second are dropped, also before 1970") {
    CHECK(format_http_date(at(784'111'777) + std::chrono::milliseconds(999)) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(format_iso8601(at(0) - std::chrono::nanoseconds(1)) == "1969-12-31T23:59:59Z");
}

TEST_CASE("every day of 292 years is read back as written") {
    for (std::int64_t day = 0; day < 106'650; ++day) {
        const WallTime time = at(day * 86'400 + day % 86'400);
        REQUIRE(parse_http_date(format_http_date(time)) == time);
    }
}

TEST_CASE("leap days and leap seconds exist, other days do not") {
    CHECK(parse_http_date("Mon, 29 Feb 2016 12:00:00 GMT"));
    CHECK(parse_http_date("Tue, 29 Feb 2000 12:00:00 GMT"));
    CHECK_FALSE(parse_http_date("Wed, 29 Feb 2015 12:00:00 GMT"));
    CHECK_FALSE(parse_http_date("Mon, 29 Feb 2100 12:00:00 GMT"));
    CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT") == at(1'483'228'800));
}

TEST_CASE("a wrong weekday does not make a date unreadable") {
    CHECK(parse_http_date("Mon, 26 Jun 2015 23:39:12 GMT") == at(1'435'361'952));
}

TEST_CASE("the years that a nanosecond clock can hold are read, others refused") {
    CHECK(parse_http_date("Tue, 31 Dec 2261 23:59:59 GMT"));
    CHECK_FALSE(parse_http_date("Wed, 01 Jan 2262 00:00:00 GMT"));
    CHECK_FALSE(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT"));
    CHECK_FALSE(parse_http_date("Wed, 31 Dec 1969 23:59:59 GMT"));
    CHECK_FALSE(parse_http_date("Sat, 01 Jan 0000 00:00:00 GMT"));
}

TEST_CASE("anything but the RFC 1123 form is refused") {
    for (const char* text : {"",
                             "GMT",
                             "0",
                             "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994",
                             "1994-11-06T08:49:37Z",
                             "Sun, 6 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 94 08:49:37 GMT",
                             "Sun, 06 Nov 1994 08:49:37",
                             "Sun, 06 Nov 1994 08:49:37 UTC",
                             "Sun, 06 Nov 1994 08:49:37 gmt",
                             "Sun, 06 Nov 1994 08:49:37 GMT ",
                             " Sun, 06 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 08:49:37 +0000",
                             "sun, 06 Nov 1994 08:49:37 GMT",
                             "Sun, 06 nov 1994 08:49:37 GMT",
                             "Xxx, 06 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Xxx 1994 08:49:37 GMT",
                             "Sun, 00 Nov 1994 08:49:37 GMT",
                             "Sun, 31 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 24:00:00 GMT",
                             "Sun, 06 Nov 1994 08:60:37 GMT",
                             "Sun, 06 Nov 1994 08:49:61 GMT",
                             "Sun, -6 Nov 1994 08:49:37 GMT",
                             "Sun, +6 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 -8:49:37 GMT",
                             "Sun, 06 Nov 1994 08:-9:37 GMT",
                             "Sun, 06 Nov 1994 08:49:-7 GMT",
                             "Sun,  6 Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov -994 08:49:37 GMT",
                             "Sun, 06 Nov 1994 8:049:37 GMT",
                             "Sun, 06 Nov 1994 08.49.37 GMT",
                             "Sun; 06 Nov 1994 08:49:37 GMT",
                             "Sun, 0x Nov 1994 08:49:37 GMT",
                             "Sun, 06 Nov 19 4 08:49:37 GMT",
                             "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                             "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"}) {
        INFO(text);
        CHECK_FALSE(parse_http_date(text));
    }
}

TEST_CASE("ISO 8601 dates are read as they are written, with a blank, a zone, fractions, no seconds, as a day alone") {
    const auto time = parse_http_date("Fri, 26 Jun 2015 23:39:12 GMT").value();
    CHECK(parse_iso8601(format_iso8601(time)) == time);
    CHECK(parse_iso8601("2015-06-26 23:39:12Z") == time);
    CHECK(parse_iso8601("2015-06-26T23:39:12.1Z") == time);
    CHECK(parse_iso8601("2015-06-26T23:39:12.123456789Z") == time);
    CHECK(parse_iso8601("2015-06-26") == parse_http_date("Fri, 26 Jun 2015 00:00:00 GMT"));
    CHECK(parse_iso8601("2015-06-27T01:39:12+02:00") == time);
    CHECK(parse_iso8601("2015-06-26 14:09:12.5-09:30") == time);
    CHECK(parse_iso8601("2015-06-26T23:39:12-00:00") == time);
    CHECK(parse_iso8601("2015-06-26T23:39Z") == parse_http_date("Fri, 26 Jun 2015 23:39:00 GMT"));
    CHECK(parse_iso8601("2015-06-27T00:39+01:00") == parse_http_date("Fri, 26 Jun 2015 23:39:00 GMT"));
    for (const char* text : {"",
                             "2015",
                             "2015-06-26T23:39:12",
                             "2015-06-26T23:39:12+0200",
                             "2015-06-26T23:39:12+24:00",
                             "2015-06-26T23:39:12+02:60",
                             "2015-06-26T23:39:12*02:00",
                             "2015-06-26T23:39:12+2:000",
                             "2015-06-26+02:00",
                             "2015-06-26T23Z",
                             "2015-06-26T23:39",
                             "2015-06-26T23:39.5Z",
                             "+02:00",
                             "Z",
                             "2015-06-26T23:39:12.Z",
                             "2015-06-26T23:39:12.1x3Z",
                             "2015-06-26T23:39:12.1",
                             "2015-13-26",
                             "2015-00-26",
                             "2015-02-30",
                             "2015-06-26T24:39:12Z",
                             "2015/06/26",
                             "-015-06-26",
                             "2015-+6-26",
                             "9999-06-26T23:39:12Z"}) {
        INFO(text);
        CHECK_FALSE(parse_iso8601(text));
    }
}
