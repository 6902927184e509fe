// A guard that a test plays: it hears the orders and says what it likes. There is no command.
#pragma once

#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "os/guard.hpp"

namespace azlock::test {

class PlayedGuard {
  public:
    // `play` is called for each order, on another thread.
    explicit PlayedGuard(std::function<void(PlayedGuard& guard, const os::Order& order)> play)
        : play_(std::move(play)) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
        azlocks_ = Fd(ends[0]);
        ours_ = Fd(ends[1]);
        thread_ = std::jthread([this](const std::stop_token& over) { work(over); });
    }

    // azlock's side of it; only once.
    [[nodiscard]] os::Guard side_of_azlock() { return os::Guard::played(std::move(azlocks_)); }
    void report(os::Report::Kind kind, int number = 0) const {
        os::Report out;
        out.kind = kind;
        out.number = number;
        if (::send(ours_.get(), &out, sizeof out, MSG_NOSIGNAL) != sizeof out) throw std::runtime_error("send");
    }
    [[nodiscard]] std::vector<os::Order::Kind> orders() const {
        const std::lock_guard lock(mutex_);
        return orders_;
    }

  private:
    void work(const std::stop_token& over) {
        std::vector<char> packet(os::kMaxPacket);
        while (!over.stop_requested()) {
            pollfd entry{ours_.get(), POLLIN, 0};
            if (::poll(&entry, 1, 20) <= 0) continue;
            os::Streams streams;
            const ssize_t size = os::receive_packet(ours_.get(), packet, streams);
            if (size < static_cast<ssize_t>(sizeof(os::Order))) return;
            os::Order order;
            std::memcpy(&order, packet.data(), sizeof order);
            {
                const std::lock_guard lock(mutex_);
                orders_.push_back(order.kind);
            }
            play_(*this, order);
        }
    }

    std::function<void(PlayedGuard&, const os::Order&)> play_;
    Fd azlocks_;
    Fd ours_;
    mutable std::mutex mutex_;
    std::vector<os::Order::Kind> orders_;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace azlock::test
