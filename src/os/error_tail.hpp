// Passes the standard error of a command on to ours, and keeps its last bytes.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/wait.hpp"

namespace azlock::os {

class ErrorTail {
  public:
    // Keeps the last `keep` bytes. Error: io.
    [[nodiscard]] static Result<std::unique_ptr<ErrorTail>> start(std::size_t keep);
    ErrorTail(const ErrorTail&) = delete;
    ErrorTail& operator=(const ErrorTail&) = delete;

    // The write end of the pipe, for the command.
    [[nodiscard]] int descriptor() const { return pipe_.write_end.get(); }
    // Reads what has been written so far and returns the last bytes of everything. Does not wait for processes that
    // still hold the pipe open, or for a reader of our standard error.
    [[nodiscard]] std::string finish();

  private:
    ErrorTail(std::size_t keep, Pipe pipe);
    void work(const std::stop_token& stop);
    // False: there is nothing more now.
    bool take(const StopSignal& stop);
    void pass_on(const char* data, std::size_t size, const StopSignal& stop);

    std::size_t keep_;
    Pipe pipe_;
    std::string tail_;
    std::jthread thread_;
};

}  // namespace azlock::os
