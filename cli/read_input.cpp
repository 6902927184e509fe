#include "cli/read_input.hpp"

#include <unistd.h>

#include "base/file.hpp"

namespace azlock::cli {
namespace {

constexpr std::size_t kMaxSize = 1 << 20;

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
    Fd opened;
    int fd = STDIN_FILENO;
    const std::string name = path == "-" ? "standard input" : path;
    if (path != "-") {
        auto file = open_input(path);
        if (!file) return fail(file.error());
        opened = std::move(*file);
        fd = opened.get();
    }
    std::string text(kMaxSize + 1, '\0');
    const auto got = read_full(fd, std::as_writable_bytes(std::span(text)), name);
    if (!got) {
        Error error = got.error();
        error.code = ErrorCode::input_missing;
        return fail(std::move(error));
    }
    if (*got > kMaxSize) return fail(ErrorCode::input_missing, "'" + name + "' is larger than 1 MiB");
    text.resize(*got);
    return text;
}

}  // namespace azlock::cli
