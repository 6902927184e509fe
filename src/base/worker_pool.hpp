// Does the same work for many items on a few threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/result.hpp"

namespace azlock {

// Calls fn(item, stop) for the items 0 to n_items - 1 and starts them in that order. Uses at most n_threads threads
// (fewer if the system gives no more); the caller is one of them. Returns when no call is running.
//  * The first error is the result. It stops the rest: no new item starts, and the running ones get a stop request.
//  * A stop request on `outer` does the same. The result is then the error of a running item, or ErrorCode::cancelled.
//    It is success if no item was left.
//  * An exception from fn stops the rest too and is thrown again here.
using ItemFunction = std::function<Status(std::size_t item, std::stop_token stop)>;
[[nodiscard]] Status run_parallel(std::size_t n_threads, std::size_t n_items, std::stop_token outer,
                                  const ItemFunction& fn);

// The same if the amount of work is not known before. Calls `fn(stop)` again and again on at most n_threads threads,
// until one call returns false: nothing is left. Then waits for the calls that are still running. Errors, stop and
// exceptions as above. After a stop request the result is ErrorCode::cancelled, unless a call has already returned
// false.
using WorkFunction = std::function<Result<bool>(std::stop_token stop)>;
[[nodiscard]] Status run_workers(std::size_t n_threads, std::stop_token outer, const WorkFunction& fn);

}  // namespace azlock
