// Lines that are replaced on a terminal.
#include "cli/output/terminal_lines.hpp"
#include "support/catch.hpp"

using azlock::cli::replaceable;
using azlock::cli::shortened;

TEST_CASE("the cursor stays at the beginning of lines that will be replaced") {
    CHECK(replaceable({"one"}) == "\r\x1b[J\x1b[?7lone\r\x1b[?7h");
    CHECK(replaceable({"one", "two", "three"}) == "\r\x1b[J\x1b[?7lone\r\ntwo\r\nthree\x1b[2A\r\x1b[?7h");
}

TEST_CASE("a text is shortened at whole characters") {
    CHECK(shortened("abcdef", 6) == "abcdef");
    CHECK(shortened("abcdefg", 6) == "...efg");
    CHECK(shortened("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 6) == "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2");
    CHECK(shortened("a\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 6) == "...\xe6\xbc\xa2");
}
