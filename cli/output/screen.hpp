// What standard output shows its text on.
#pragma once

#include <cstddef>
#include <string_view>

namespace azlock::cli {

struct Screen {
    bool terminal = false;  // people read it
    bool redraws = false;   // the terminal can move its cursor
    bool color = false;
    std::size_t columns = 0;  // 0: not known, or no limit
    std::size_t rows = 0;
};

// Of standard output; `color`: the value of --color.
[[nodiscard]] Screen stdout_screen(std::string_view color);

}  // namespace azlock::cli
