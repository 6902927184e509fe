#include "ops/files/path_list.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestPath = 64 * 1024;
constexpr std::size_t kPiece = 64 * 1024;
constexpr int kPollMs = 100;  // between looks at the stop token

// Reads at least one byte; 0 at the end. The writer of the list may be slow: a stop does not wait for it.
Result<std::size_t> read_some(int fd, Bytes& buffer, std::string_view name, const std::stop_token& stop) {
    while (true) {
        if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped while the list of files was read");
        pollfd waiting{fd, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, kPollMs);
        const ssize_t got = ready > 0 ? ::read(fd, buffer.data(), buffer.size()) : -1;
        if (got >= 0) return static_cast<std::size_t>(got);
        if (ready != 0 && errno != EINTR && errno != EAGAIN)
            return fail(file_error(ErrorCode::io, "read", name, errno));
    }
}

}  // namespace

Status read_path_list(const std::string& file, bool null_separated,
                      const std::function<Status(std::string_view path)>& take, std::stop_token stop) {
    const std::string name = file == "-" ? "standard input" : in_quotes(file);
    Fd opened;
    if (file != "-") {
        auto input = open_whole_input(file);
        if (!input) return fail(input.error());
        opened = std::move(*input);
    }
    const char end = null_separated ? '\0' : '\n';
    std::string path;          // as far as it has come
    std::uint64_t number = 1;  // of this path
    const auto refuse = [&](const std::string& why, const std::string& hint = {}) {
        const std::string place = (null_separated ? "path " : "line ") + std::to_string(number);
        return fail(ErrorCode::data, place + " of " + name + " " + why, hint);
    };
    const auto take_path = [&]() -> Status {
        if (path.find('\0') != std::string::npos) {
            return refuse("contains a NUL", "use --null for a list whose paths end in NUL");
        }
        const Status taken = path.empty() ? Status() : take(path);
        path.clear();
        ++number;
        return taken;
    };
    Bytes buffer(kPiece);
    while (true) {
        const auto got = read_some(opened ? opened.get() : STDIN_FILENO, buffer, name, stop);
        if (!got) return fail(got.error());
        if (*got == 0) return take_path();
        std::string_view piece(reinterpret_cast<const char*>(buffer.data()), *got);
        while (!piece.empty()) {
            const std::size_t at = std::min(piece.find(end), piece.size());
            path += piece.substr(0, at);
            if (path.size() > kLongestPath) return refuse("is longer than 64 KiB");
            if (at == piece.size()) break;
            if (Status taken = take_path(); !taken) return taken;
            piece.remove_prefix(at + 1);
        }
    }
}

}  // namespace azlock::ops
