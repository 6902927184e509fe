#include "cli/program/show_help.hpp"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output/color.hpp"
#include "cli/program/help.hpp"
#include "cli/program/words.hpp"

namespace azlock::cli {
namespace {

// Longer lines are hard to read, and shorter ones break every word.
constexpr std::size_t kWidest = 100;
constexpr std::size_t kNarrowest = 40;

HelpStyle style(std::string_view color) {
    HelpStyle out;
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        out.columns = std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
    }
    out.color = use_color(color, STDOUT_FILENO);
    return out;
}

}  // namespace

Status show_help(Output& output, const Parser& app, const Commands& commands, const std::vector<std::string>& words,
                 HelpLength length, std::string_view color) {
    const CommandInfo tree = command_info(app, commands);
    const CommandInfo& command = at_path(tree, read_words(app, words).command->path());
    const std::string text =
        length == HelpLength::full ? full_help(command, style(color)) : brief_help(command, style(color));
    return output.bytes(as_bytes(text));
}

}  // namespace azlock::cli
