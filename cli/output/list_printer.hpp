// Prints a list row after row: for a program at once, for people below titles, in groups, so that memory stays small.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/output.hpp"
#include "cli/output/table.hpp"

namespace azlock::cli {

class ListPrinter {
  public:
    ListPrinter(Output& output, std::vector<Column> columns, const Screen& screen)
        : output_(output), columns_(std::move(columns)), screen_(screen) {}

    [[nodiscard]] Status add(Row row);
    // `total`: the last line on a terminal.
    [[nodiscard]] Status end(const std::string& total);

  private:
    [[nodiscard]] Status flush();

    Output& output_;
    std::vector<Column> columns_;
    Screen screen_;
    std::vector<Row> rows_;
    std::vector<std::size_t> widths_;  // empty: no group was printed yet
};

}  // namespace azlock::cli
