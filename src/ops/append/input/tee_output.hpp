// A copy of what is read, on standard output.
#pragma once

#include <functional>
#include <string>

#include "base/encoding.hpp"
#include "http/wait.hpp"

namespace azlock::ops {

// As `tee -p`: a reader that goes away, or an error of writing, ends the copy and nothing else. One thread writes.
class TeeOutput {
  public:
    using Say = std::function<void(const std::string&)>;
    // `fd` stays the caller's. SIGPIPE must be ignored.
    TeeOutput(int fd, const Clock& clock, const std::stop_token& stop, Say say)
        : fd_(fd), clock_(clock), stop_(stop), say_(std::move(say)) {}

    // Waits for a slow reader; after a stop no longer than a second in all.
    void write(ByteView data);
    [[nodiscard]] bool open() const { return open_; }

  private:
    [[nodiscard]] bool writable();

    int fd_;
    const Clock& clock_;
    http::StopSignal stop_;
    http::StopSignal never_{std::stop_token()};
    Deadline last_ = kNoDeadline;
    bool open_ = true;
    Say say_;
};

}  // namespace azlock::ops
