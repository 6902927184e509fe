// --watch[=DUR]: a command that looks shows what it sees again and again.
#pragma once

#include <functional>
#include <string>

#include "cli/output/screen.hpp"
#include "cli/program/context.hpp"
#include "cli/program/parser.hpp"
#include "ops/read/live_view.hpp"

namespace azlock::cli {

// Empty: the flag was not given.
Option* add_watch_flag(Parser& command, std::string& every);

// The text of a sight: whole lines for `screen`, or with --json one line without its end.
using LookAt = std::function<Result<ops::Sight>(const Screen& screen)>;
// Until it is stopped or cannot continue; never a success. On a terminal each look is drawn over the last one,
// elsewhere each change is printed. Errors: usage (`every` is no duration); those of ops::watch_view().
[[nodiscard]] Status show_live(Context& context, const std::string& every, const LookAt& look);

}  // namespace azlock::cli
