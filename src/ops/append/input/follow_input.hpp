// Reads a growing file without end, like `tail -F`: follows rotation by renaming, and truncation.
#pragma once

#include <deque>
#include <functional>

#include "base/wait.hpp"
#include "ops/append/input/byte_input.hpp"

namespace azlock::ops {

// Looks at the file with this name whenever something changes in its folder (inotify), and at least four times a
// second. A renamed or removed file is read until no bytes have come for a second. Then the next file is read from its
// beginning; no file that was seen is left out. A file that became shorter is read again from its beginning. A missing
// file is waited for. After a stop, the bytes that the files hold at that moment are still read.
class FollowInput final : public ByteInput {
  public:
    using Say = std::function<void(const std::string&)>;
    enum class From { start, end };  // where to begin in a file that exists at the start
    FollowInput(std::string path, From from, const Clock& clock, const std::stop_token& stop, Say say);

    // Errors: io, input_missing (a file cannot be read); usage (the name is not a regular file).
    [[nodiscard]] Result<Read> read(std::span<std::byte> out, Deadline until) override;

  private:
    struct File {
        Fd fd;
        FileIdentity identity;
        std::uint64_t offset = 0;  // read up to here
    };
    [[nodiscard]] Status look();
    [[nodiscard]] Result<std::size_t> read_some(std::span<std::byte> out);
    [[nodiscard]] Result<bool> shrunk();
    void wait(Deadline until);

    std::string path_;
    From from_;
    const Clock& clock_;
    StopSignal stop_signal_;
    std::stop_token stop_;
    Say say_;
    Fd watch_;
    std::deque<File> files_;  // the file that is being read, then those that came after it
    BootTime quiet_since_{};  // the first file got no bytes since then, while others wait
    bool missing_told_ = false;
    bool refused_told_ = false;
    std::optional<std::uint64_t> left_;  // bytes of the first file still to be read after a stop
};

}  // namespace azlock::ops
