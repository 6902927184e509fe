// The same work for many items over a few threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/result.hpp"

namespace azlock {

// Calls fn(item, stop) for the items 0 to n_items - 1, begun in that order, on at most n_threads threads of which the
// caller is one (fewer where the system gives no more). Returns when no call is running any more.
//  * The first error in time is the result. It stops the rest: no new item begins, and `stop` tells the running ones.
//  * A stop request on `outer` does the same. Then the result is the error that a running item returned, or
//    ErrorCode::cancelled; success if no item was left over.
//  * An exception out of fn stops the rest too and is thrown again here.
using ItemFunction = std::function<Status(std::size_t item, std::stop_token stop)>;
[[nodiscard]] Status run_parallel(std::size_t n_threads, std::size_t n_items, std::stop_token outer,
                                  const ItemFunction& fn);

}  // namespace azlock
