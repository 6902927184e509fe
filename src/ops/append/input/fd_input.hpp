// Reads a stream or a file as it comes, to its end.
#pragma once

#include "base/wait.hpp"
#include "ops/append/input/byte_input.hpp"
#include "ops/append/input/read_witness.hpp"

namespace azlock::ops {

// After a stop, the bytes that a pipe, socket or terminal holds at that moment are still read. The rest of a regular
// file is not. A regular file may grow while it is read.
class FdInput final : public ByteInput {
  public:
    // The caller keeps and closes `fd`; `name` is for messages.
    FdInput(int fd, std::string name, const Clock& clock, const std::stop_token& stop)
        : fd_(fd), name_(std::move(name)), clock_(clock), stop_(stop), witness_(fd, name_) {}
    FdInput(Fd fd, std::string name, const Clock& clock, const std::stop_token& stop)
        : FdInput(fd.get(), std::move(name), clock, stop) {
        own_ = std::move(fd);
    }

    // Errors: io (the descriptor cannot be read); data at the end of a file that was truncated or rewritten while it
    // was read.
    [[nodiscard]] Result<Read> read(std::span<std::byte> out, Deadline until) override;

  private:
    Fd own_;
    int fd_;
    std::string name_;
    const Clock& clock_;
    StopSignal stop_;
    ReadWitness witness_;
    std::optional<std::size_t> left_;  // bytes still to be read after a stop
};

}  // namespace azlock::ops
