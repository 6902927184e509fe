// A command whose standard output we read.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/file.hpp"

namespace azlock::os {

// How a command ended, as a shell tells it.
struct ChildEnd {
    int code = 0;    // its exit code, or 128 + the signal's number
    int signal = 0;  // that killed it, or 0
};

// Not thread-safe. A child that still runs when this goes away is killed.
class OutputChild {
  public:
    // Starts `argv` (found through PATH) in our process group with our standard input and error, and its standard
    // output into a pipe. It has no other descriptor of ours, an empty signal mask and SIGPIPE's default action.
    // Errors: input_missing (not found), io.
    [[nodiscard]] static Result<OutputChild> start(const std::vector<std::string>& argv);
    OutputChild(OutputChild&& other) noexcept : pid_(std::exchange(other.pid_, 0)), output_(std::move(other.output_)) {}
    OutputChild(const OutputChild&) = delete;
    OutputChild& operator=(const OutputChild&) = delete;
    OutputChild& operator=(OutputChild&&) = delete;
    ~OutputChild();

    [[nodiscard]] int output() const { return output_.get(); }
    // Waits until it has ended, however long that takes. nullopt: a stop was requested first.
    [[nodiscard]] std::optional<ChildEnd> wait(const std::stop_token& stop);
    // TERM, and half a second to end. What still runs then is killed by the destructor.
    void stop();

  private:
    OutputChild(pid_t pid, Fd output) : pid_(pid), output_(std::move(output)) {}

    pid_t pid_ = 0;  // 0: waited for
    Fd output_;
};

}  // namespace azlock::os
