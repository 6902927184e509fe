#include "cli/output/table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::cli {
namespace {

constexpr std::string_view kBetween = "  ";
constexpr std::string_view kCut = "…";
// A column is not cut to less.
constexpr std::size_t kLeast = 8;

std::size_t characters(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

std::string first_characters(const std::string& text, std::size_t count) {
    std::size_t end = 0;
    while (end < text.size() && count > 0) {
        ++end;
        while (end < text.size() && continues_character(text[end])) ++end;
        --count;
    }
    return text.substr(0, end);
}

std::string padded(const std::string& text, std::size_t length, std::size_t width, bool right) {
    const std::string space(width - std::min(width, length), ' ');
    return right ? space + text : text + space;
}

std::size_t used_cells(const Row& row) {
    std::size_t out = row.cells.size();
    while (out > 0 && row.cells[out - 1].empty()) --out;
    return out;
}

std::string aligned(const std::vector<Column>& columns, const Row& row, const std::vector<std::size_t>& widths,
                    const Screen& screen) {
    std::string out;
    std::size_t at = 0;
    const std::size_t used = used_cells(row);
    for (std::size_t i = 0; i < used; ++i) {
        std::string cell = row.cells[i];
        const bool last = i + 1 == used;
        if (columns[i].may_be_cut && last && screen.columns > 0) {
            const std::size_t room = std::max(kLeast, screen.columns - std::min(screen.columns, at));
            if (characters(cell) > room) cell = first_characters(cell, room - 1) + std::string(kCut);
        }
        out += last && !columns[i].right ? cell : padded(cell, characters(cell), widths[i], columns[i].right);
        if (!last) out += kBetween;
        at += widths[i] + kBetween.size();
    }
    return out;
}

}  // namespace

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, const std::vector<Row>& rows,
                                   std::vector<std::size_t> before) {
    before.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        before[i] = std::max(before[i], characters(columns[i].title));
        for (const Row& row : rows) before[i] = std::max(before[i], characters(row.cells[i]));
    }
    return before;
}

std::string plain_row(const std::vector<Column>& columns, const Row& row) {
    // The columns with a fixed width are always there.
    std::size_t shown = used_cells(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].width > 0) shown = std::max(shown, i + 1);
    }
    std::string out;
    for (std::size_t i = 0; i < shown; ++i) {
        out += padded(row.cells[i], row.cells[i].size(), columns[i].width, columns[i].right);
        if (i + 1 < shown) out += columns[i].gap;
    }
    return out;
}

std::string aligned_rows(const std::vector<Column>& columns, const std::vector<Row>& rows,
                         const std::vector<std::size_t>& widths, bool titles, const Screen& screen) {
    std::string out;
    if (titles) {
        Row head;
        for (const Column& column : columns) head.cells.emplace_back(column.title);
        const std::string line = aligned(columns, head, widths, screen);
        out += (screen.color ? "\x1b[1m" + line + "\x1b[0m" : line) + "\n";
    }
    for (const Row& row : rows) {
        const std::string line = aligned(columns, row, widths, screen);
        out += (row.tone == Tone::alarm ? in_alarm(line, screen) : line) + "\n";
    }
    return out;
}

std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows, std::string_view total,
                  const Screen& screen) {
    if (screen.terminal) {
        return aligned_rows(columns, rows, widths_of(columns, rows), !rows.empty(), screen) + std::string(total) + "\n";
    }
    std::string out;
    for (const Row& row : rows) out += plain_row(columns, row) + "\n";
    return out;
}

std::string in_alarm(const std::string& text, const Screen& screen) {
    return screen.color ? "\x1b[31m" + text + "\x1b[0m" : text;
}

}  // namespace azlock::cli
