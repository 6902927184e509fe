#include "cli/output/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output/color.hpp"

namespace azlock::cli {

Screen stdout_screen(std::string_view color) {
    Screen out;
    out.color = use_color(color, STDOUT_FILENO);
    out.terminal = ::isatty(STDOUT_FILENO) == 1;
    out.redraws = is_able_terminal(STDOUT_FILENO);
    winsize size{};
    if (out.terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        out.columns = size.ws_col;
        out.rows = size.ws_row;
    }
    return out;
}

}  // namespace azlock::cli
