// The messages between azlock and its guard on their socket pair: one struct per packet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "os/guard_rules.hpp"
#include "os/launch.hpp"

namespace azlock::os {

// azlock to guard.
struct Order {
    enum class Kind : std::int32_t {
        start,   // points, kill_after, streams; environment changes follow as "NAME=VALUE\0" or "NAME\0" (unset)
        points,  // a renew succeeded: newer points
        freeze,  // stop everything; KILL at points.kill if no thaw comes
        thaw,    // continue, with these points
        end,     // TERM now, KILL at points.kill
        signal,  // pass `number` on: to the command's group, and after its end to all that it has left running
        resume,  // continue a job that was stopped; number 1: with the terminal
        leave    // exit and leave the processes that still run
    };
    Kind kind = Kind::points;
    std::int32_t number = 0;
    EndPoints points;
    BootNs kill_after = 0;
    std::int64_t streams = 0;  // bit N: the packet brings a descriptor (SCM_RIGHTS) for the command's stream N
};

// guard to azlock.
struct Report {
    enum class Kind : std::int32_t {
        started,      // number: the command's process id
        not_started,  // number: errno; step: 1 if the command itself could not be executed
        stopped,      // number: the signal that stopped the command
        exited,       // number: its wait status. Descendants may still run
        late,         // the timer fired too late, so the command was frozen
        ending,       // TERM was sent
        gone,         // no descendant is left
        cannot_end    // number: how many descendants we may not signal
    };
    Kind kind = Kind::gone;
    std::int32_t number = 0;
    std::int32_t step = 0;
};
static_assert(std::is_trivially_copyable_v<Order> && std::is_trivially_copyable_v<Report>);

inline constexpr std::size_t kMaxPacket = 128 * 1024;

// The environment changes of a start order: what follows the struct.
[[nodiscard]] std::vector<std::string> read_changes(std::string_view text);

// Sends an order's packet, and copies of the descriptors with it. False, with errno set, if that fails.
[[nodiscard]] bool send_packet(int socket, const std::string& packet, const Streams& streams);
// Does not wait. Returns as recvmsg() does, and puts the packet's descriptors into the first entries of `streams`.
[[nodiscard]] ssize_t receive_packet(int socket, std::span<char> packet, Streams& streams);
// Moves each received descriptor to the entry of its stream (`wanted`: Order::streams), and to a number of 3 or more:
// below 3, dup2() of another stream could overwrite it.
void sort_streams(Streams& streams, std::int64_t wanted);

// What the guard says on stderr, each with its newline.
struct GuardWords {
    std::string azlock_gone = "azlock: the process that keeps the lock is gone; its guard ends the command\n";
    std::string azlock_stopped = "azlock: stopped, so it cannot renew the lease; its guard ends the command\n";
};

// The guard's side. Never returns. `cgroup`: for CommandCgroup::make(). `socket` is connected to azlock, whose process
// id is `azlock`.
[[noreturn]] void run_guard(const std::vector<std::string>& argv, const GuardWords& words, const std::string& cgroup,
                            int socket, pid_t azlock);

}  // namespace azlock::os
