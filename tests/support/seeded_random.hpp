// Random numbers that are the same in every run.
#pragma once

#include <mutex>
#include <random>

#include "base/random.hpp"

namespace azlock {

// A fixed sequence for one seed.
class SeededRandom final : public Random {
  public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t next() override {
        const std::lock_guard lock(mutex_);
        return engine_();
    }

  private:
    std::mutex mutex_;
    std::mt19937_64 engine_;
};

}  // namespace azlock
