// A socket on which a process says something to its descendants and to nobody else.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/file.hpp"
#include "base/result.hpp"

namespace azlock::os {

// Has a name that nobody can guess and that no other socket gets. It ends with the process, or with the object.
class AncestorSocket {
  public:
    // Error: io.
    [[nodiscard]] static Result<AncestorSocket> create();

    // For the environment of the descendants.
    [[nodiscard]] const std::string& name() const { return name_; }
    // Readable if somebody asks.
    [[nodiscard]] int fd() const { return socket_.get(); }
    // Sends `text` to each who asks now and descends from `root`; the others get nothing. Does not wait for them.
    void answer(pid_t root, const std::string& text) const;

  private:
    AncestorSocket(Fd socket, std::string name) : socket_(std::move(socket)), name_(std::move(name)) {}

    Fd socket_;
    std::string name_;
};

struct AncestorSays {
    std::optional<std::string> text{};
    bool silent = false;  // it lives and may be our ancestor, but has not answered in time
};

// What the process that has the socket `name` says. Neither text nor silent: it has ended, or we do not descend from
// its `root`.
[[nodiscard]] AncestorSays ask_ancestor(const std::string& name, std::chrono::milliseconds at_most);

}  // namespace azlock::os
