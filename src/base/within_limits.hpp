// Makes an error of an exception that means a limit of the system.
#pragma once

#include <exception>

#include "base/result.hpp"
#include "base/system_limit.hpp"

namespace azlock {

// What `act` returns, a Result. An exception at a limit becomes an error, with may_have_applied: nobody knows how far
// it got.
template <typename Act>
[[nodiscard]] auto within_limits(const Act& act) -> decltype(act()) {
    try {
        return act();
    } catch (const std::exception& thrown) {
        auto limit = limit_error(thrown);
        if (!limit) throw;
        limit->may_have_applied = true;
        return fail(std::move(*limit));
    }
}

}  // namespace azlock
