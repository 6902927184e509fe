// A pool of idle connections, for later requests.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "http/message.hpp"

namespace azlock::http {

// Connection::usable() says whether a connection can still be used. Thread-safe.
template <typename Connection>
class IdlePool {
  public:
    // The connection to `origin` that was used last; null: none. Drops dead ones on the way.
    [[nodiscard]] std::unique_ptr<Connection> take(const Origin& origin) {
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[origin.to_string()];
        while (!idle.empty()) {
            auto connection = std::move(idle.back());
            idle.pop_back();
            if (connection->usable()) return connection;
        }
        return nullptr;
    }

    void put(const Origin& origin, std::unique_ptr<Connection> connection) {
        if (!connection->usable()) return;
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[origin.to_string()];
        std::erase_if(idle, [](const auto& other) { return !other->usable(); });
        if (idle.size() < kMost) idle.push_back(std::move(connection));
    }

  private:
    static constexpr std::size_t kMost = 128;  // for one origin

    std::mutex mutex_;
    std::map<std::string, std::vector<std::unique_ptr<Connection>>> idle_;
};

}  // namespace azlock::http
