#include "cli/output/list_printer.hpp"

namespace azlock::cli {
namespace {

// Their widths decide how the columns begin.
constexpr std::size_t kRowsAtOnce = 1000;

}  // namespace

Status ListPrinter::add(Row row) {
    if (!screen_.terminal) return output_.line(plain_row(columns_, row));
    rows_.push_back(std::move(row));
    return rows_.size() < kRowsAtOnce ? Status() : flush();
}

Status ListPrinter::flush() {
    if (rows_.empty()) return {};
    const bool first = widths_.empty();
    widths_ = widths_of(columns_, rows_, std::move(widths_));
    const std::string text = aligned_rows(columns_, rows_, widths_, first, screen_);
    rows_.clear();
    return output_.bytes(as_bytes(text));
}

Status ListPrinter::end(const std::string& total) {
    if (!screen_.terminal) return {};
    if (auto ok = flush(); !ok) return ok;
    return output_.line(total);
}

}  // namespace azlock::cli
