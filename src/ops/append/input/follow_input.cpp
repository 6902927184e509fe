#include "ops/append/input/follow_input.hpp"

#include <algorithm>
#include <filesystem>

#include <poll.h>
#include <sys/inotify.h>
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
      changes_(watch_folder(path_)),
      names_(path_, say_) {}

std::size_t FollowInput::files() const {
    const std::lock_guard lock(mutex_);
    return files_.size();
}

Status FollowInput::look() {
    const std::lock_guard lock(mutex_);
    auto found = names_.look();
    if (!found) return fail(found.error());
    for (NamedFile& file : *found) files_.emplace_back(std::move(file), path_);
    return {};
}

// The first look. Only a file that it finds may be begun at its end.
Status FollowInput::begin() {
    if (std::exchange(begun_, true)) return {};
    if (auto ok = look(); !ok) return ok;
    if (files_.empty()) {
        say_(in_quotes(path_) + " is not there yet; waiting for it");
    } else if (from_ == From::end) {
        if (auto ok = files_.front().skip_to_end(); !ok) return ok;
    }
    if (names_.fd() >= 0) watcher_ = std::jthread([this](const std::stop_token& over) { watch_names(over); });
    return {};
}

// The reader may have to wait for a long time until it can give its bytes away, while files come and go.
void FollowInput::watch_names(const std::stop_token& over) {
    const StopSignal ended(over);
    while (wait_ready(names_.fd(), POLLIN, kNoDeadline, clock_, ended) == Wake::ready) {
        if (!look()) return;  // the reader finds the same error
    }
}

Result<FollowedFile::Read> FollowInput::read_some(FollowedFile& file, std::span<std::byte> out) {
    const auto got = file.read(out.first(std::min<std::uint64_t>(out.size(), left_.value_or(out.size()))));
    if (!got) return got;
    if (left_) *left_ -= got->size;
    if (got->got != FollowedFile::Got::nothing) quiet_since_ = clock_.now();
    if (got->got == FollowedFile::Got::truncated) {
        say_(in_quotes(path_) +
             " was truncated; it is read from its beginning. What was written to it shortly before may be missing");
    }
    return got;
}

void FollowInput::wait(Deadline until) {
    const BootTime now = clock_.now();
    Deadline next = std::min(until, now + kLook);
    if (files() > 1) next = std::min(next, quiet_since_ + kQuiet);
    if (wait_ready(changes_.get(), POLLIN, next, clock_, stop_signal_) != Wake::ready) return;
    alignas(inotify_event) char events[4096];
    while (::read(changes_.get(), events, sizeof events) > 0) {
    }
}

Result<ByteInput::Read> FollowInput::read(std::span<std::byte> out, Deadline until) {
    if (auto ok = begin(); !ok) return fail(ok.error());
    for (;;) {
        if (auto ok = look(); !ok) return fail(ok.error());
        const bool stopped = stop_.stop_requested();
        if (const std::size_t count = files(); count == 0) {
            if (stopped) return Read{Got::end, 0};
        } else {
            if (std::exchange(others_wait_, count > 1) != (count > 1)) quiet_since_ = clock_.now();
            FollowedFile& file = files_.front();  // only this thread removes it, and adding others does not move it
            if (stopped && !left_) {
                const auto left = file.left();
                if (!left) return fail(left.error());
                left_ = *left;
            }
            const auto got = read_some(file, out);
            if (!got) return fail(got.error());
            if (got->got == FollowedFile::Got::bytes) return Read{Got::bytes, got->size};
            if (got->got == FollowedFile::Got::truncated && !std::exchange(truncated_at_end_, stopped)) {
                left_.reset();
                return Read{Got::boundary, 0};
            }
            if (count > 1 && (stopped || clock_.now() >= quiet_since_ + kQuiet)) {
                const std::lock_guard lock(mutex_);
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
