#include "cli/settings/read_input.hpp"

#include <algorithm>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/quantity.hpp"

namespace azlock::cli {
namespace {

// Whoever wants data from standard input now gets an error, and not an end of file: it would upload nothing.
void close_standard_input() {
    const Fd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (nothing) ::dup2(nothing.get(), STDIN_FILENO);
}

}  // namespace

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

Result<std::string> read_small_file(const std::string& path, std::size_t max_size, ErrorCode too_large) {
    Fd opened;
    int fd = STDIN_FILENO;
    const std::string name = path == "-" ? "standard input" : path;
    if (path != "-") {
        auto file = open_whole_input(path);
        if (!file) return fail(file.error());
        opened = std::move(*file);
        fd = opened.get();
    }
    // Reads growing pieces: most inputs are far smaller than max_size.
    std::string text;
    for (std::size_t piece = 1 << 16;; piece *= 2) {
        const std::size_t before = text.size();
        piece = std::min(piece, max_size + 1 - before);
        text.resize(before + piece);
        const auto got = read_full(fd, std::as_writable_bytes(std::span(text).subspan(before)), name);
        if (!got) {
            Error error = got.error();
            error.code = ErrorCode::input_missing;
            return fail(std::move(error));
        }
        text.resize(before + *got);
        if (text.size() > max_size) {
            return fail(too_large, "'" + name + "' is larger than " + format_bytes(max_size));
        }
        if (*got < piece) break;
    }
    if (path == "-") close_standard_input();
    return text;
}

}  // namespace azlock::cli
