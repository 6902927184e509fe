// Passes things on as they come, or all of them at the end in another order.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/result.hpp"

namespace azlock {

template <typename T>
using Less = std::function<bool(const T&, const T&)>;

template <typename T>
class Ordered {
  public:
    using Take = std::function<Status(const T&)>;

    // An empty `less`: as they come, and nothing is kept in memory.
    Ordered(Less<T> less, Take take) : less_(std::move(less)), take_(std::move(take)) {}

    [[nodiscard]] Status add(T thing) {
        if (!less_) return take_(thing);
        kept_.push_back(std::move(thing));
        return {};
    }
    // Things that are equal stay in the order in which they came.
    [[nodiscard]] Status end() {
        std::stable_sort(kept_.begin(), kept_.end(), less_);
        for (const T& thing : kept_) {
            if (auto ok = take_(thing); !ok) return ok;
        }
        return {};
    }

  private:
    Less<T> less_;
    Take take_;
    std::vector<T> kept_;
};

}  // namespace azlock
