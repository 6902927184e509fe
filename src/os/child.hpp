// A command that we start, feed from a file and read from, and that ends with us.
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

struct ChildOptions {
    std::vector<std::string> argv;                      // found through PATH
    std::vector<std::string> environment_changes = {};  // "NAME=VALUE", or "NAME" to unset it
    int input = -1;                                     // its standard input, which stays the caller's; -1: ours
    bool capture_output = true;                         // its standard output goes into a pipe; false: to ours
    bool output_to_errors = false;                      // its standard output goes to our standard error
    bool own_group = false;  // a process group of its own, which is then what is signalled and killed
};

// Not thread-safe. A child that still runs when this goes away is killed.
class Child {
  public:
    // It has our standard error, no descriptor of ours but the standard three, an empty signal mask and SIGPIPE's
    // default action. Errors: input_missing (not found), io (cannot be executed).
    [[nodiscard]] static Result<Child> start(const ChildOptions& options);
    Child(Child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), own_group_(other.own_group_), output_(std::move(other.output_)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    Child& operator=(Child&&) = delete;
    ~Child();

    // To be read; -1 where it is not captured.
    [[nodiscard]] int output() const { return output_.get(); }
    // Waits until it has ended, however long that takes. nullopt: a stop was requested first.
    [[nodiscard]] std::optional<ChildEnd> wait(const std::stop_token& stop);
    // Of a child that was not waited for to its end.
    void signal(int number) const;
    // TERM, and half a second to end. What still runs then is killed by the destructor.
    void stop();

  private:
    Child(pid_t pid, bool own_group, Fd output) : pid_(pid), own_group_(own_group), output_(std::move(output)) {}

    pid_t pid_ = 0;  // 0: waited for
    bool own_group_ = false;
    Fd output_;
};

}  // namespace azlock::os
