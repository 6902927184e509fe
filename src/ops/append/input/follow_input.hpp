// A growing file as input, as with `tail -F`: over rotation by renaming and over truncation, without an end of its own.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "http/wait.hpp"
#include "ops/append/input/byte_input.hpp"

namespace azlock::ops {

// The file that has the name is looked at whenever something happens in its folder (inotify), and four times a second
// where that is not told. A file that was renamed or removed is read until nothing has come to it for a second, then
// the next one from its beginning; none in between is left out that was seen. One that became shorter is read from its
// beginning. A missing one is waited for. At a stop, what the files hold at that moment is still read.
class FollowInput final : public ByteInput {
  public:
    using Say = std::function<void(const std::string&)>;
    enum class From { start, end };  // of the file that is there at first
    FollowInput(std::string path, From from, const Clock& clock, const std::stop_token& stop, Say say);

    // Error (io, input_missing): a file cannot be read, or the name is a directory.
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
    http::StopSignal stop_signal_;
    std::stop_token stop_;
    Say say_;
    Fd watch_;
    std::deque<File> files_;  // the one that is read, then those that came after it
    BootTime quiet_since_{};  // of the first one, while there are others
    bool missing_told_ = false;
    bool refused_told_ = false;
    std::optional<std::uint64_t> left_;  // bytes of the first file still to be read after a stop
};

}  // namespace azlock::ops
