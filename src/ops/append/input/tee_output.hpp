// Copies what is read to standard output.
#pragma once

#include <functional>

#include "base/wait.hpp"

namespace azlock::ops {

// Like `tee -p`: if the reader goes away or a write fails, only the copy ends. One thread writes.
class TeeOutput {
  public:
    using Say = std::function<void(const std::string&)>;
    // The caller keeps and closes `fd`. SIGPIPE must be ignored.
    TeeOutput(int fd, const Clock& clock, const std::stop_token& stop, Say say)
        : fd_(fd), clock_(clock), stop_(stop), say_(std::move(say)) {}

    // Waits for a slow reader; after a stop at most one second in total.
    void write(ByteView data);

  private:
    [[nodiscard]] bool writable();

    int fd_;
    const Clock& clock_;
    StopSignal stop_;
    StopSignal never_{std::stop_token()};
    Deadline last_ = kNoDeadline;
    bool open_ = true;
    Say say_;
};

}  // namespace azlock::ops
