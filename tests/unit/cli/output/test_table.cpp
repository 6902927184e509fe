// Rows in columns, for programs and for people.
#include "cli/output/table.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

const std::vector<Column> kColumns{
    {"SIZE", 6, true}, {"STATE", 5, false, " "}, {"NAME"}, {"NOTE", 0, false, "  ", true}};
const std::vector<Row> kRows{{{"12", "ready", "a", ""}},
                             {{"1234567", "-", "über", "held by ann@ci-7 pid 4121"}, Tone::alarm}};

Screen terminal(std::size_t columns, bool color = false) {
    return {true, true, color, columns, 24};
}

}  // namespace

TEST_CASE("without a terminal a table is its rows, in columns of a fixed width") {
    CHECK(table(kColumns, kRows, "2 things", {}) ==
          "    12  ready a\n"
          "1234567  -     über  held by ann@ci-7 pid 4121\n");
    CHECK(table(kColumns, {}, "0 things", {}).empty());
}

TEST_CASE("on a terminal a table has titles and a total, and its columns are as wide as their text") {
    CHECK(table(kColumns, kRows, "2 things", terminal(0)) ==
          "   SIZE  STATE  NAME  NOTE\n"
          "     12  ready  a\n"
          "1234567  -      über  held by ann@ci-7 pid 4121\n"
          "2 things\n");
    CHECK(table(kColumns, {}, "0 things", terminal(80)) == "0 things\n");
}

TEST_CASE("a note is cut at the edge of the terminal, and a name is not") {
    const std::string text = table(kColumns, kRows, "", terminal(35));
    CHECK(text.find("über  held by ann@…\n") != std::string::npos);
    CHECK(table({{"NAME"}}, {{{std::string(50, 'n')}}}, "", terminal(35)).find(std::string(50, 'n')) !=
          std::string::npos);
}

TEST_CASE("what needs an operator is red, and only where there are colours") {
    const std::string text = table(kColumns, kRows, "", terminal(80, true));
    CHECK(text.find("\x1b[31m1234567") != std::string::npos);
    CHECK(text.find("pid 4121\x1b[0m\n") != std::string::npos);
    CHECK(table(kColumns, kRows, "", terminal(80)).find('\x1b') == std::string::npos);
}

}  // namespace azlock::cli
