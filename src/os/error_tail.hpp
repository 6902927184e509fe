// Passes the standard error of a command on to ours, and keeps its last bytes.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/file.hpp"

namespace azlock::os {

class ErrorTail {
  public:
    // Keeps the last `keep` bytes. Error: io.
    [[nodiscard]] static Result<std::unique_ptr<ErrorTail>> start(std::size_t keep);
    ~ErrorTail();
    ErrorTail(const ErrorTail&) = delete;
    ErrorTail& operator=(const ErrorTail&) = delete;

    // The write end of the pipe, for the command.
    [[nodiscard]] int descriptor() const { return write_end_.get(); }
    // Reads what has been written so far and returns the last bytes of everything. Does not wait for processes that
    // still hold the pipe open, or for a reader of our standard error.
    [[nodiscard]] std::string finish();

  private:
    ErrorTail(std::size_t keep, Fd read_end, Fd write_end, Fd stop);
    void work();
    // False: there is nothing more now.
    bool take();
    void pass_on(const char* data, std::size_t size);
    [[nodiscard]] bool stopping() const;

    std::size_t keep_;
    Fd read_end_;
    Fd write_end_;
    Fd stop_;
    std::string tail_;
    std::thread thread_;
};

}  // namespace azlock::os
