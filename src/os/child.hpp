// A command that we start: it reads its input from a file, we read its output, and we end it if it still runs.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock::os {

// How a command ended, as a shell reports it.
struct ChildEnd {
    int code = 0;    // its exit code, or 128 + the signal's number
    int signal = 0;  // the signal that killed it, or 0
};
// "the command failed with exit code 3", or with a name "the command 'jq' was killed by signal 9".
[[nodiscard]] std::string describe_end(const ChildEnd& end, const std::string& name = {});

struct ChildOptions {
    std::vector<std::string> argv;                      // found through PATH
    std::vector<std::string> environment_changes = {};  // "NAME=VALUE", or "NAME" to unset it
    int input = -1;                                     // its standard input (the caller keeps it); -1: ours
    bool capture_output = true;                         // its standard output goes into a pipe; false: to ours
    int errors = -1;                                    // its standard error (the caller keeps it); -1: ours
    std::string folder = {};                            // where it starts; empty: in our current directory
    bool output_to_errors = false;                      // its standard output goes to our standard error
    bool own_group = false;  // it gets its own process group; signals then go to the whole group
};

// Not thread-safe. The destructor kills a child that still runs.
class Child {
  public:
    // The child gets only the three standard descriptors, an empty signal mask and the
    // default action of SIGPIPE. Errors: input_missing (not found), io (cannot be executed).
    [[nodiscard]] static Result<Child> start(const ChildOptions& options);
    Child(Child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), own_group_(other.own_group_), output_(std::move(other.output_)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    Child& operator=(Child&&) = delete;
    ~Child();

    // The pipe to read the output from; -1 if the output is not captured.
    [[nodiscard]] int output() const { return output_.get(); }
    // Waits until the child has ended, without a time limit. nullopt: a stop was requested first.
    [[nodiscard]] std::optional<ChildEnd> wait(const std::stop_token& stop);
    // The same with a time limit. nullopt also: the deadline came first.
    [[nodiscard]] std::optional<ChildEnd> wait_until(Deadline deadline, const Clock& clock,
                                                     const std::stop_token& stop);
    // Sends the signal. No effect after the end of the child was seen.
    void signal(int number) const;
    // Sends TERM and waits half a second for the end. If the child still runs then, the destructor kills it.
    void stop();

  private:
    Child(pid_t pid, bool own_group, Fd output) : pid_(pid), own_group_(own_group), output_(std::move(output)) {}

    pid_t pid_ = 0;  // 0: waited for
    bool own_group_ = false;
    Fd output_;
};

// Runs `/bin/sh -c TEXT` with our streams, default signals and a changed environment. Waits for its end and returns the
// wait status. nullopt: a stop was requested first, and the shell goes on. Error: io.
[[nodiscard]] Result<std::optional<int>> run_shell(const std::string& text,
                                                   const std::vector<std::string>& environment_changes,
                                                   const std::stop_token& stop = {});

}  // namespace azlock::os
