#include "cli/program/arguments.hpp"

#include <string_view>

#include "base/text.hpp"

namespace azlock::cli {
namespace {

// Writes over the secret: the usual mask may be longer than the secret, and there is no room for it.
void mask_in_place(char* argument) {
    const std::string_view text(argument);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!istarts_with(text.substr(i), "sig=")) continue;
        for (i += 4; i < text.size() && text[i] != '&'; ++i) argument[i] = 'x';
    }
}

}  // namespace

std::vector<std::string> take_arguments(int argc, char** argv) {
    std::vector<std::string> out;
    if (argc == 0) return out;
    const std::string_view program(argv[0]);
    if (program.substr(program.find_last_of('/') + 1) == "azup") out.emplace_back("upload");
    for (int i = 1; i < argc; ++i) {
        out.emplace_back(argv[i]);
        mask_in_place(argv[i]);
    }
    return out;
}

}  // namespace azlock::cli
