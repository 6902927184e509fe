// Shows one text after the other: on a terminal each takes the place of the last one, elsewhere it follows it.
#pragma once

#include <string>
#include <string_view>

#include "cli/output/output.hpp"
#include "cli/output/screen.hpp"

namespace azlock::cli {

// The lines of `text` as they fit on the screen. The bytes of a colour take no room.
[[nodiscard]] std::string fitted(std::string_view text, const Screen& screen);

class LiveScreen {
  public:
    LiveScreen(Output& output, const Screen& screen) : output_(output), screen_(screen) {}

    // `text`: whole lines. Error: io.
    [[nodiscard]] Status show(const std::string& text);
    // The last text stays, with this line below it. Errors of the screen are ignored.
    void add(const std::string& line);

  private:
    Output& output_;
    Screen screen_;
    std::size_t lines_ = 0;  // of the last text, on a terminal
    std::string shown_;
    bool first_ = true;
};

}  // namespace azlock::cli
