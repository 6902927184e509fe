// Reads a growing file without end, like `tail -F`: follows rotation by renaming, and truncation.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/wait.hpp"
#include "ops/append/input/byte_input.hpp"
#include "ops/append/input/followed_file.hpp"

namespace azlock::ops {

// Looks at the file with this name whenever something changes in its folder (inotify), and at least four times a
// second. A thread of its own opens each new file with this name at once, also while nobody reads. A renamed or removed
// file is read until no bytes have come for a second. Then the next file is read from its beginning. A file that was
// truncated is read again from its beginning. A missing file is waited for. After a stop, the bytes that the files hold
// at that moment are still read.
class FollowInput final : public ByteInput {
  public:
    using Say = std::function<void(const std::string&)>;
    enum class From { start, end };  // where to begin in a file that exists at the start
    // `say` is called from several threads.
    FollowInput(std::string path, From from, const Clock& clock, const std::stop_token& stop, Say say);

    // Errors: io, input_missing (a file cannot be read); usage (the name is not a regular file).
    [[nodiscard]] Result<Read> read(std::span<std::byte> out, Deadline until) override;

    // Files that wait to be read, with the one that is being read.
    [[nodiscard]] std::size_t files() const;

  private:
    [[nodiscard]] Status look();
    [[nodiscard]] Status begin();
    [[nodiscard]] Result<FollowedFile::Read> read_some(FollowedFile& file, std::span<std::byte> out);
    void wait(Deadline until);
    void watch_names(const std::stop_token& over);

    std::string path_;
    From from_;
    const Clock& clock_;
    StopSignal stop_signal_;
    std::stop_token stop_;
    Say say_;
    Fd changes_;
    BootTime quiet_since_{};  // the first file got no bytes since then, while others wait
    bool others_wait_ = false;
    bool begun_ = false;
    bool truncated_at_end_ = false;      // a truncation was noticed after the stop: another one is not followed
    std::optional<std::uint64_t> left_;  // bytes of the first file still to be read after a stop

    mutable std::mutex mutex_;
    NameWatch names_;
    std::deque<FollowedFile> files_;  // the file that is being read, then those that came after it
    std::jthread watcher_;            // the last member: it uses the others
};

}  // namespace azlock::ops
