// The descendants of a process as /proc shows them, and ways to stop, continue and end all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace azlock::os {

struct ProcessInfo {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';  // as in /proc/PID/stat: R S D T t Z ...
};

// A process that exists; else nullopt.
[[nodiscard]] std::optional<ProcessInfo> find_process(pid_t pid);

// Every process of the machine that we can see.
[[nodiscard]] std::vector<ProcessInfo> all_processes();

// "azlock-PID-...": nothing else has this name, also in another PID namespace.
[[nodiscard]] std::string new_own_name();

// The descendants that still run: without zombies, but with the children of zombies.
[[nodiscard]] std::vector<ProcessInfo> descendants_of(pid_t root);

// True if `pid` is below `root`: its child, or a child of one that is.
[[nodiscard]] bool descends_from(pid_t pid, pid_t root);

// The name of a process ("sleep"), or "?" if it is gone.
[[nodiscard]] std::string process_name(pid_t pid);

// Sends `signal` to each descendant of `root`. If a process id was given to another process meanwhile, that process is
// not signalled. Returns how many descendants were running. `refused` (if given) gets how many of them we may not
// signal.
std::size_t signal_descendants(pid_t root, int signal, std::size_t* refused = nullptr);

// Stops every descendant of `root` and remembers which ones it stopped, so that thaw() continues only those.
class Freezer {
  public:
    // Returns when none of them runs any more, or after about half a second.
    void freeze(pid_t root);
    void thaw(pid_t root);

  private:
    std::vector<pid_t> stopped_;
};

// The children of the calling process, also those that have ended.
[[nodiscard]] std::vector<pid_t> children_of_ours();

// A process whose end is to be told: its wait status, once it was reaped.
struct WatchedEnd {
    pid_t pid = -1;
    std::optional<int> status;
};

// Kills every descendant of the calling process with SIGKILL and reaps them. Returns true if the kernel says that no
// child is left; for a subreaper this means no descendant. False if we may not signal some of them, or if `seconds`
// were not enough. `others`: children that stay, with all that they have started; then /proc says who is left.
// `watched` may be null.
[[nodiscard]] bool end_all_descendants(int seconds, const std::vector<pid_t>& others = {},
                                       WatchedEnd* watched = nullptr);

}  // namespace azlock::os
