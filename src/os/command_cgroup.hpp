// A cgroup of our own (v2) for the command and all that it starts: the kernel ends all of it at once, also processes
// that replace themselves faster than anybody can signal them.
#pragma once

#include <string>

#include "base/file.hpp"

namespace azlock::os {

class CommandCgroup {
  public:
    CommandCgroup() = default;  // none
    // Makes one below the cgroup of this process, with a new_own_name(). None if the kernel has no cgroup.kill (before
    // Linux 5.14), or if we may not make one. Also removes what killed guards have left there.
    [[nodiscard]] static CommandCgroup make(const std::string& name);
    // The one that another process has made; none if there is none.
    [[nodiscard]] static CommandCgroup find(const std::string& name);

    explicit operator bool() const { return static_cast<bool>(kill_); }
    // A child that writes "0" there belongs to the group; -1: none.
    [[nodiscard]] int entrance() const { return entrance_.get(); }
    void kill() const;
    // To be called when it is empty.
    void remove();

  private:
    static CommandCgroup open_at(const std::string& path);

    std::string path_;
    Fd entrance_;
    Fd kill_;
};

// The folder of the cgroup of this process (v2), from the texts of /proc/self/cgroup and /proc/self/mountinfo. Empty if
// it cannot be seen.
[[nodiscard]] std::string own_cgroup(const std::string& cgroup, const std::string& mountinfo);

}  // namespace azlock::os
