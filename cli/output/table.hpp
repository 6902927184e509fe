// Rows of text in columns: of a fixed width for a program that reads them, or aligned below titles for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/screen.hpp"

namespace azlock::cli {

struct Column {
    std::string_view title;
    std::size_t width = 0;        // without a terminal, in bytes; a longer text is not cut
    bool right = false;           // aligned to the right
    std::string_view gap = "  ";  // before the next column, without a terminal
    bool may_be_cut = false;      // at the edge of a terminal
};

// What an operator should see first.
enum class Tone { plain, alarm };

struct Row {
    std::vector<std::string> cells;  // as many as there are columns; safe for a terminal
    Tone tone = Tone::plain;
};

// How wide the columns must be, in characters, for the titles, these rows, and `before`.
[[nodiscard]] std::vector<std::size_t> widths_of(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                                 std::vector<std::size_t> before = {});

// One line, without its end. Empty cells at the end are left out.
[[nodiscard]] std::string plain_row(const std::vector<Column>& columns, const Row& row);

// Lines for a terminal, each with its end; `titles`: begins with the titles.
[[nodiscard]] std::string aligned_rows(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                       const std::vector<std::size_t>& widths, bool titles, const Screen& screen);

// All of it: below titles and with `total` as the last line on a terminal, else only the rows.
[[nodiscard]] std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                std::string_view total, const Screen& screen);

// "\x1b[31m...": in red, if the screen has colours.
[[nodiscard]] std::string in_alarm(const std::string& text, const Screen& screen);

}  // namespace azlock::cli
