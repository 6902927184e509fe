#include "ops/append/input/follow_input.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr auto kLook = std::chrono::milliseconds(250);
constexpr auto kQuiet = std::chrono::seconds(1);

Fd watch_folder(const std::string& path) {
    Fd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    if (watch && inotify_add_watch(watch.get(), folder.c_str(),
                                   IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) < 0) {
        watch.reset();
    }
    return watch;
}

}  // namespace

FollowInput::FollowInput(std::string path, From from, const Clock& clock, const std::stop_token& stop, Say say)
    : path_(std::move(path)),
      from_(from),
      clock_(clock),
      stop_signal_(stop),
      stop_(stop),
      say_(std::move(say)),
      watch_(watch_folder(path_)) {}

// Opens the file that has the name now, if it is not the same file as before.
Status FollowInput::look() {
    struct stat named {};
    if (::stat(path_.c_str(), &named) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) {
            return fail(file_error(ErrorCode::input_missing, "follow", path_, errno));
        }
        if (files_.empty() && !std::exchange(missing_told_, true)) {
            say_("'" + printable(path_) + "' is not there yet; waiting for it");
        }
        return {};
    }
    if (!files_.empty()) {
        const FileIdentity& last = files_.back().identity;
        if (named.st_dev == last.device && named.st_ino == last.inode) return {};
    }
    File file;
    // O_NONBLOCK: open() must not wait for the writer of a pipe.
    file.fd.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file.fd) {
        if (errno == ENOENT) return {};
        if (errno == EACCES && !files_.empty()) {  // the program that rotates may soon change that
            if (!std::exchange(refused_told_, true)) {
                say_("the new '" + printable(path_) + "' cannot be opened: permission denied; azlock tries again");
            }
            return {};
        }
        return fail(file_error(ErrorCode::input_missing, "open", path_, errno));
    }
    const auto identity = identify(file.fd.get(), path_);
    if (!identity) return fail(identity.error());
    if (!identity->regular) {
        return fail(ErrorCode::usage, "--follow: '" + printable(path_) + "' is not a regular file",
                    "read a pipe without --follow: azlock append DEST - < PIPE");
    }
    file.identity = *identity;
    if (files_.empty() && from_ == From::end && !missing_told_) file.offset = identity->size;
    refused_told_ = false;
    if (files_.size() == 1) quiet_since_ = clock_.now();
    files_.push_back(std::move(file));
    return {};
}

Result<bool> FollowInput::shrunk() {
    File& file = files_.front();
    const auto identity = identify(file.fd.get(), path_);
    if (!identity) return fail(identity.error());
    if (identity->size >= file.offset) return false;
    file.offset = 0;
    say_("'" + printable(path_) + "' was truncated; it is read from its beginning");
    return true;
}

Result<std::size_t> FollowInput::read_some(std::span<std::byte> out) {
    File& file = files_.front();
    const std::size_t most = std::min<std::uint64_t>(out.size(), left_.value_or(out.size()));
    const auto got = read_full_at(file.fd.get(), file.offset, out.first(most), path_);
    if (!got) return fail(got.error());
    file.offset += *got;
    if (left_) *left_ -= *got;
    if (*got > 0) quiet_since_ = clock_.now();
    return *got;
}

void FollowInput::wait(Deadline until) {
    const BootTime now = clock_.now();
    Deadline next = std::min(until, now + kLook);
    if (files_.size() > 1) next = std::min(next, quiet_since_ + kQuiet);
    if (wait_ready(watch_.get(), POLLIN, next, clock_, stop_signal_) != Wake::ready) return;
    alignas(inotify_event) char events[4096];
    while (::read(watch_.get(), events, sizeof events) > 0) {
    }
}

Result<ByteInput::Read> FollowInput::read(std::span<std::byte> out, Deadline until) {
    for (;;) {
        if (auto ok = look(); !ok) return fail(ok.error());
        const bool stopped = stop_.stop_requested();
        if (files_.empty()) {
            if (stopped) return Read{Got::end, 0};
        } else {
            if (stopped && !left_) {
                const auto identity = identify(files_.front().fd.get(), path_);
                if (!identity) return fail(identity.error());
                left_ = identity->size - std::min(identity->size, files_.front().offset);
            }
            const auto got = read_some(out);
            if (!got) return fail(got.error());
            if (*got > 0) return Read{Got::bytes, *got};
            const auto again = shrunk();
            if (!again) return fail(again.error());
            if (*again && !left_) return Read{Got::boundary, 0};
            if (files_.size() > 1 && (stopped || clock_.now() >= quiet_since_ + kQuiet)) {
                files_.pop_front();
                left_.reset();
                quiet_since_ = clock_.now();
                return Read{Got::boundary, 0};
            }
            if (stopped) return Read{Got::end, 0};
        }
        if (clock_.now() >= until) return Read{Got::nothing, 0};
        wait(until);
    }
}

}  // namespace azlock::ops
