#include "cli/output/live_screen.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::cli {
namespace {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

std::string fitted_line(std::string_view line, std::size_t columns, bool color) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b') {
            const std::size_t end = std::min(line.find('m', i), line.size() - 1);
            out += line.substr(i, end - i + 1);
            i = end;
            continue;
        }
        if (!continues_character(line[i]) && ++used > columns) return color ? out + "\x1b[0m" : out;
        out += line[i];
    }
    return out;
}

}  // namespace

std::string fitted(std::string_view text, const Screen& screen) {
    std::vector<std::string_view> lines = split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    // The cursor stands on the line below.
    const std::size_t most = screen.rows > 2 ? screen.rows - 1 : kNoLimit;
    std::string more;
    if (lines.size() > most) {
        more = "(" + std::to_string(lines.size() - (most - 1)) + " more lines)\n";
        lines.resize(most - 1);
    }
    std::string out;
    for (const std::string_view line : lines) {
        out += fitted_line(line, screen.columns > 0 ? screen.columns : kNoLimit, screen.color) + "\n";
    }
    return out + more;
}

Status LiveScreen::show(const std::string& text) {
    shown_ = text;
    if (!screen_.redraws) {
        const std::string whole = (first_ ? "" : "\n") + text;
        first_ = false;
        return output_.bytes(as_bytes(whole));
    }
    const std::string fits = fitted(text, screen_);
    const std::string up = lines_ > 0 ? "\x1b[" + std::to_string(lines_) + "A\r" : "";
    lines_ = static_cast<std::size_t>(std::count(fits.begin(), fits.end(), '\n'));
    const std::string whole = up + "\x1b[J" + fits;
    return output_.bytes(as_bytes(whole));
}

void LiveScreen::add(const std::string& line) {
    if (!screen_.redraws) return output_.notice(line);
    const std::string kept = shown_;
    (void)show(kept + line + "\n");
    shown_ = kept;
}

}  // namespace azlock::cli
