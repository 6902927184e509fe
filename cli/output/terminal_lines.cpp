#include "cli/output/terminal_lines.hpp"

#include <sys/ioctl.h>

#include "base/text.hpp"

namespace azlock::cli {

TerminalSize terminal_size(int fd) {
    TerminalSize out;
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return out;
    if (size.ws_col > 0) out.columns = size.ws_col;
    if (size.ws_row > 0) out.rows = size.ws_row;
    return out;
}

std::size_t columns_of(std::string_view text) {
    std::size_t out = 0;
    for (const char c : text) {
        if (!continues_character(c)) out += static_cast<unsigned char>(c) < 0x80 ? 1 : 2;
    }
    return out;
}

std::string shortened(const std::string& text, std::size_t columns) {
    constexpr std::string_view kDots = "...";
    if (columns_of(text) <= columns) return text;
    std::size_t begin = text.size();
    for (std::size_t at = begin; at > 0;) {
        do --at;
        while (at > 0 && continues_character(text[at]));
        if (columns_of(std::string_view(text).substr(at)) > columns - kDots.size()) break;
        begin = at;
    }
    return std::string(kDots) + text.substr(begin);
}

std::string replaceable(const std::vector<std::string>& lines) {
    std::string out = std::string(kClearLines) + "\x1b[?7l";
    for (std::size_t i = 0; i < lines.size(); ++i) out += (i > 0 ? "\r\n" : "") + lines[i];
    if (lines.size() > 1) out += "\x1b[" + std::to_string(lines.size() - 1) + "A";
    return out + "\r\x1b[?7h";
}

}  // namespace azlock::cli
