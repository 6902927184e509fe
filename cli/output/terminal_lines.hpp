// The size of a terminal, and lines on it that are replaced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace azlock::cli {

struct TerminalSize {
    std::size_t columns = 80;
    std::size_t rows = 24;
};
// Of the terminal `fd`, as it is now; what it does not tell is as above.
[[nodiscard]] TerminalSize terminal_size(int fd);

// Columns that the text needs at most: a character beyond ASCII may take two. The text is printable.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// The end of the text, after "...", if the text needs more columns. `columns`: more than 3.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t columns);

// Writes lines that are there until kClearLines. The cursor stays at their beginning. So a terminal that wraps long
// lines anew after it became narrower keeps it there, too, and nothing that stood above is ever erased. If the terminal
// becomes narrower just before it gets the lines, they end at its edge: wrapping is off as long as they are written.
[[nodiscard]] std::string replaceable(const std::vector<std::string>& lines);
inline constexpr std::string_view kClearLines = "\r\x1b[J";

}  // namespace azlock::cli
