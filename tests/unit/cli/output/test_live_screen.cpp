// A text that is drawn again and again must fit on the terminal.
#include "cli/output/live_screen.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

Screen screen(std::size_t columns, std::size_t rows, bool color = false) {
    return {true, true, color, columns, rows};
}

}  // namespace

TEST_CASE("lines are cut at the width of the terminal, and colours take no room") {
    CHECK(fitted("12345678\nüüüüüüüü\n", screen(5, 24)) == "12345\nüüüüü\n");
    CHECK(fitted("\x1b[31m12345\x1b[0m\n", screen(5, 24, true)) == "\x1b[31m12345\x1b[0m\n");
    CHECK(fitted("\x1b[31m123456\x1b[0m\n", screen(5, 24, true)) == "\x1b[31m12345\x1b[0m\n");
    CHECK(fitted("no end", screen(0, 0)) == "no end\n");
}

TEST_CASE("lines for which the terminal has no room are counted") {
    CHECK(fitted("1\n2\n3\n", screen(80, 4)) == "1\n2\n3\n");
    CHECK(fitted("1\n2\n3\n4\n5\n", screen(80, 4)) == "1\n2\n(3 more lines)\n");
}

}  // namespace azlock::cli
