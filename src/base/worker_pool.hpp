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

// The same for work whose amount shows only as it is done: `fn(stop)` is called again and again, on at most n_threads
// threads, until a call says that there is nothing left (false); the calls that are running then are waited for.
// Errors, stop and exceptions as above; a stop request makes the result ErrorCode::cancelled unless the end had been
// seen.
using WorkFunction = std::function<Result<bool>(std::stop_token stop)>;
[[nodiscard]] Status run_workers(std::size_t n_threads, std::stop_token outer, const WorkFunction& fn);

}  // namespace azlock
