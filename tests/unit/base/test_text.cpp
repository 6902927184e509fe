// base/text: ASCII helpers, and what may be shown on one line of a terminal.
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace azlock;

TEST_CASE("case is folded for ASCII letters alone") {
    CHECK(to_lower("AZ[az]09\xC4") == "az[az]09\xC4");
    CHECK(iequals("Content-MD5", "content-md5"));
    CHECK(iequals("", ""));
    CHECK_FALSE(iequals("a", "ab"));
    CHECK_FALSE(iequals("@", "`"));
    CHECK_FALSE(iequals("[", "{"));
    CHECK(istarts_with("Bearer x", "bearer "));
    CHECK(istarts_with("x", ""));
    CHECK_FALSE(istarts_with("Bear", "bearer "));
}

TEST_CASE("trim takes blanks, tabs and line ends off both ends and nothing else") {
    CHECK(trim(" \t\r\na b\t \n") == "a b");
    CHECK(trim("").empty());
    CHECK(trim(" \n ").empty());
    CHECK(trim("\v x") == "\v x");
}

TEST_CASE("split keeps empty parts") {
    using Parts = std::vector<std::string_view>;
    CHECK(split("a;;b", ';') == Parts{"a", "", "b"});
    CHECK(split("", ';') == Parts{""});
    CHECK(split(";", ';') == Parts{"", ""});
    CHECK(split("a", ';') == Parts{"a"});
    CHECK(split("a;", ';') == Parts{"a", ""});
}

TEST_CASE("parse_u64 takes decimal digits, all of them, up to the largest") {
    CHECK(parse_u64("0") == 0);
    CHECK(parse_u64("007") == 7);
    CHECK(parse_u64("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
    for (const char* text : {"", "18446744073709551616", "99999999999999999999999", "-1", "-0", "+1", " 1", "1 ", "1.0",
                             "0x1", "1e3", "a", "1,000"}) {
        INFO(text);
        CHECK_FALSE(parse_u64(text));
    }
    CHECK_FALSE(parse_u64({}));
    CHECK_FALSE(parse_u64(std::string_view("1\0", 2)));
}

TEST_CASE("printable text keeps what can be read and escapes what steers a terminal") {
    CHECK(printable("plain ~") == "plain ~");
    CHECK(in_quotes("a\nb") == "'a\\x0Ab'");
    CHECK(printable("\xD0\xBF\xF0\x9F\x98\x80") == "\xD0\xBF\xF0\x9F\x98\x80");
    CHECK(printable("a\nb\tc\r") == "a\\x0Ab\\x09c\\x0D");
    CHECK(printable("\x1b[31m\x7F") == "\\x1B[31m\\x7F");
    CHECK(printable(std::string_view("\0", 1)) == "\\x00");
    CHECK(printable("\xFF\xFE") == "\\xFF\\xFE");
    // U+009B means the same as ESC [, in one character. U+00A0 is only a blank.
    CHECK(printable("x\xC2\x9B"
                    "31m") == "x\\xC2\\x9B31m");
    CHECK(printable("\xC2\x80\xC2\x9F\xC2\xA0") == "\\xC2\\x80\\xC2\\x9F\xC2\xA0");
    CHECK(printable("\xC3\x9B") == "\xC3\x9B");
}
