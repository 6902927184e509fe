#include "ops/files/path_list.hpp"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestPath = 64 * 1024;
constexpr std::size_t kPiece = 64 * 1024;
constexpr int kPollMs = 100;  // between looks at the stop token

// Splits text that arrives in pieces into paths.
class PathSplitter {
  public:
    PathSplitter(std::string name, bool null_separated, const std::function<Status(std::string_view)>& take)
        : name_(std::move(name)), end_(null_separated ? '\0' : '\n'), take_(take) {}

    Status add(std::string_view piece) {
        while (!piece.empty()) {
            const std::size_t at = piece.find(end_);
            pending_ += piece.substr(0, at);
            if (pending_.size() > kLongestPath) return refuse("is longer than 64 KiB", {});
            if (at == std::string_view::npos) return {};
            if (Status taken = finish(); !taken) return taken;
            piece.remove_prefix(at + 1);
        }
        return {};
    }

    // The text that has come so far is a whole path.
    Status finish() {
        if (pending_.find('\0') != std::string::npos) {
            return refuse("contains a NUL", "use --null for a list whose paths end in NUL");
        }
        const Status taken = pending_.empty() ? Status() : take_(pending_);
        pending_.clear();
        ++number_;
        return taken;
    }

  private:
    [[nodiscard]] tl::unexpected<Error> refuse(const std::string& why, const std::string& hint) const {
        const std::string place = (end_ == '\n' ? "line " : "path ") + std::to_string(number_);
        return fail(ErrorCode::data, place + " of " + name_ + " " + why, hint);
    }

    std::string name_;
    char end_;
    const std::function<Status(std::string_view)>& take_;
    std::string pending_;
    std::uint64_t number_ = 1;  // of the path that is being read
};

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
    const std::string name = file == "-" ? "standard input" : "'" + printable(file) + "'";
    Fd opened;
    if (file != "-") {
        auto input = open_input(file);
        if (!input) return fail(input.error());
        opened = std::move(*input);
    }
    PathSplitter splitter(name, null_separated, take);
    Bytes buffer(kPiece);
    while (true) {
        const auto got = read_some(opened ? opened.get() : STDIN_FILENO, buffer, name, stop);
        if (!got) return fail(got.error());
        if (*got == 0) return splitter.finish();
        const std::string_view piece(reinterpret_cast<const char*>(buffer.data()), *got);
        if (Status added = splitter.add(piece); !added) return added;
    }
}

}  // namespace azlock::ops
