// base/quantity: durations and sizes in both directions.
#include <cstdint>
#include <limits>

#include "base/quantity.hpp"
#include "support/catch.hpp"

using namespace azlock;
using std::chrono::milliseconds;

namespace {

std::int64_t ms(std::string_view text) {
    const auto value = parse_duration(text);
    return value ? value->count() : -1;
}

std::string duration(std::int64_t count) {
    return format_duration(milliseconds(count));
}

}  // namespace

TEST_CASE("a duration is a bare number of seconds or numbers with units, largest first") {
    CHECK(ms("90") == 90'000);
    CHECK(ms("90s") == 90'000);
    CHECK(ms("1m30s") == 90'000);
    CHECK(ms("1.5s") == 1'500);
    CHECK(ms("1.5") == 1'500);
    CHECK(ms(".5") == 500);
    CHECK(ms("250ms") == 250);
    CHECK(ms("2h") == 7'200'000);
    CHECK(ms("1d") == 86'400'000);
    CHECK(ms("1d2h3m4s5ms") == 93'784'005);
    CHECK(ms("0") == 0);
    CHECK(ms("0s") == 0);
    CHECK(ms("000090") == 90'000);
}

TEST_CASE("a duration is rounded up, so that a tiny timeout never becomes none") {
    CHECK(ms("0.0001s") == 1);
    CHECK(ms("0.5ms") == 1);
    CHECK(ms("1.0001") == 1'001);
    CHECK(ms("1.0000000000") == 1'000);
}

TEST_CASE("what is no duration is a usage error that quotes it") {
    for (const char* text :
         {"",   " ",  "-1", "-1s",   "+1",    "1 s",  "1s ",  "s",   ".",   "1.",  "1.s",  "1..5", "1.5.5",
          "1x", "1S", "1M", "1ms5s", "30s1m", "1s1s", "1m30", "1e3", "inf", "nan", "0x10", "1,5",  "1ss"}) {
        INFO(text);
        const auto value = parse_duration(text);
        REQUIRE_FALSE(value);
        CHECK(value.error().code == ErrorCode::usage);
        CHECK(value.error().message == "'" + std::string(text) + "' is not a duration");
    }
    CHECK_FALSE(parse_duration(std::string_view("1\0s", 3)));
}

TEST_CASE("a duration ends at 36500 days, which a Clock can still add up") {
    CHECK(ms("36500d") == 36'500LL * 86'400'000);
    CHECK_FALSE(parse_duration("36500d1ms"));
    CHECK_FALSE(parse_duration("18446744073709551615d"));
    CHECK_FALSE(parse_duration("18446744073709551616"));
    CHECK_FALSE(parse_duration("99999999999999999999999999"));
    CHECK(std::chrono::nanoseconds(*parse_duration("36500d")).count() > 0);
}

TEST_CASE("sizes take binary and decimal units in any case") {
    CHECK(parse_size("0").value() == 0);
    CHECK(parse_size("8388608").value() == 8'388'608);
    CHECK(parse_size("8B").value() == 8);
    CHECK(parse_size("8M").value() == 8U << 20U);
    CHECK(parse_size("8m").value() == 8U << 20U);
    CHECK(parse_size("8MiB").value() == 8U << 20U);
    CHECK(parse_size("8mib").value() == 8U << 20U);
    CHECK(parse_size("8MB").value() == 8'000'000);
    CHECK(parse_size("512k").value() == 512U << 10U);
    CHECK(parse_size("1.5G").value() == 3ULL << 29U);
    CHECK(parse_size("1.1MiB").value() == 1'153'433);
    CHECK(parse_size("2TB").value() == 2'000'000'000'000);
    CHECK(parse_size("1P").value() == 1ULL << 50U);
    CHECK(parse_size("15E").value() == 15ULL << 60U);
    CHECK(parse_size("18446744073709551615").value() == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("what is no size is a usage error that quotes it") {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             "1 M",
                             "M",
                             "1.5",
                             "1.5B",
                             "1x",
                             "1Mi",
                             "1MiBs",
                             "1Mb/s",
                             "1KK",
                             "8.M",
                             ".",
                             "0x10",
                             "1e6",
                             "16E",
                             "18446744073709551616",
                             "20000PB",
                             "1.5.5K"}) {
        INFO(text);
        const auto value = parse_size(text);
        REQUIRE_FALSE(value);
        CHECK(value.error().code == ErrorCode::usage);
        CHECK(value.error().message == "'" + std::string(text) + "' is not a size");
    }
}

TEST_CASE("control characters of a bad quantity do not reach the terminal") {
    CHECK(parse_duration("\x1b[2J").error().message == "'\\x1B[2J' is not a duration");
    CHECK(parse_size("\n").error().message == "'\\x0A' is not a size");
}

TEST_CASE("bytes are shown with one rounded decimal in the unit that fits") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1'023) == "1023 B");
    CHECK(format_bytes(1'024) == "1 KiB");
    CHECK(format_bytes(1'536) == "1.5 KiB");
    CHECK(format_bytes(8U << 20U) == "8 MiB");
    CHECK(format_bytes(3ULL << 29U) == "1.5 GiB");
    CHECK(format_bytes((1U << 20U) - 1) == "1 MiB");  // not "1024 KiB"
    CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16 EiB");
}

TEST_CASE("a printed size is read back as nearly the same size") {
    for (std::uint64_t bytes = 1; bytes < (1ULL << 62U); bytes = bytes * 3 + 1) {
        std::string text = format_bytes(bytes);
        text.erase(text.find(' '), 1);
        const auto read = static_cast<double>(parse_size(text).value());
        CHECK(read == Approx(static_cast<double>(bytes)).epsilon(0.05));
    }
}

TEST_CASE("one thing is counted in the singular, none and several in the plural") {
    CHECK(format_count(0, "block") == "0 blocks");
    CHECK(format_count(1, "block") == "1 block");
    CHECK(format_count(2, "block") == "2 blocks");
    CHECK(format_count(1, "try", "tries") == "1 try");
    CHECK(format_count(2, "try", "tries") == "2 tries");
}

TEST_CASE("durations are shown in their two largest units") {
    CHECK(duration(0) == "0 s");
    CHECK(duration(250) == "250 ms");
    CHECK(duration(999) == "999 ms");
    CHECK(duration(1'000) == "1 s");
    CHECK(duration(1'500) == "1.5 s");
    CHECK(duration(9'949) == "9.9 s");
    CHECK(duration(9'950) == "10 s");
    CHECK(duration(42'000) == "42 s");
    CHECK(duration(59'499) == "59 s");
    CHECK(duration(59'500) == "1 min");  // not "60 s"
    CHECK(duration(90'000) == "1 min 30 s");
    CHECK(duration(3'599'600) == "1 h");
    CHECK(duration(7'500'000) == "2 h 5 min");
    CHECK(duration(86'400'000 - 1) == "1 d");
    CHECK(duration(97'200'000) == "1 d 3 h");
    CHECK(duration(-1'500) == "-1.5 s");
    CHECK_FALSE(format_duration(milliseconds::max()).empty());
    CHECK_FALSE(format_duration(milliseconds::min()).empty());
}
