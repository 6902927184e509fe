// What the azlock that keeps a lock says to the azlock commands that run under it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "os/ancestor_socket.hpp"

namespace azlock::ops {

struct KeeperAnswer {
    bool held = false;   // false: the lock is lost
    BootTime term_at{};  // if held: when the command gets TERM unless the lease is renewed before
};

class Keeper {
  public:
    // Error: io.
    [[nodiscard]] static Result<Keeper> create();

    // For AZLOCK_KEEPER and AZLOCK_HELD.
    [[nodiscard]] const std::string& address() const { return socket_.name(); }
    [[nodiscard]] int fd() const { return socket_.fd(); }
    // Answers those who ask now, if they descend from `guard`.
    void answer(pid_t guard, const std::string& lease_id, const KeeperAnswer& answer) const;

  private:
    explicit Keeper(os::AncestorSocket socket) : socket_(std::move(socket)) {}
    os::AncestorSocket socket_;
};

inline constexpr std::chrono::seconds kKeeperPatience{10};

struct KeeperSays {
    std::optional<KeeperAnswer> answer{};
    bool silent = false;  // it lives, but has not answered in time
};

// Asks the keeper. Neither answer nor silent: none at this address keeps this lease for us. It has ended, or we are no
// process of its command: environments also travel to other machines, into containers, to daemons.
[[nodiscard]] KeeperSays ask_keeper(const std::string& address, const std::string& lease_id,
                                    std::chrono::milliseconds at_most = kKeeperPatience);

}  // namespace azlock::ops
