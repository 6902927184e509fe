#include "cli/output/color.hpp"

#include <cstdlib>

#include <unistd.h>

namespace azlock::cli {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

}  // namespace

bool is_able_terminal(int fd) {
    const std::string_view terminal = variable("TERM");
    return ::isatty(fd) == 1 && !terminal.empty() && terminal != "dumb";
}

bool use_color(std::string_view when, int fd) {
    if (when == "always" || when == "never") return when == "always";
    if (!variable("NO_COLOR").empty()) return false;
    const std::string_view force = variable("CLICOLOR_FORCE");
    return (!force.empty() && force != "0") || is_able_terminal(fd);
}

}  // namespace azlock::cli
