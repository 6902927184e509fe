// When output may have colours.
#pragma once

#include <string_view>

namespace azlock::cli {

// A terminal that understands more than text (TERM is set, and not "dumb").
[[nodiscard]] bool is_able_terminal(int fd);

// `when`: "always", "never", or anything else for the usual rule: not with NO_COLOR, with CLICOLOR_FORCE, else on a
// terminal (no-color.org, bixense.com/clicolors).
[[nodiscard]] bool use_color(std::string_view when, int fd);

}  // namespace azlock::cli
