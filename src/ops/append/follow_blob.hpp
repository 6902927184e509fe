// Follows an append blob while others append to it, like `tail -f`, and goes on in its parts NAME.0001, ...
#pragma once

#include <chrono>
#include <functional>

#include "azure/client.hpp"
#include "ops/append/outage_retry.hpp"

namespace azlock::ops {

struct FollowOptions {
    bool from_end = false;                                       // only what is appended from now on
    std::chrono::nanoseconds interval{std::chrono::seconds(2)};  // from look to look, plus or minus a tenth
    std::uint64_t range_size = 4ULL * 1024 * 1024;               // bytes of one read
    OutageRetryOptions retry;
};

// A sealed blob gets no more bytes. Whoever rotates makes the next part at once; it is looked for during this time.
inline constexpr std::chrono::seconds kNextPartTime{30};

// Gives the bytes of the blob and of its parts to `write`, in order and each once, until a sealed blob has no next
// part. An error of `write` ends it. `client` makes one attempt per call: requests are repeated as options.retry says.
// Errors: not_found; precondition (no append blob; it was deleted or made again while it was followed); unavailable
// (the deadline); cancelled.
[[nodiscard]] Status follow_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                 const FollowOptions& options, const std::function<Status(ByteView)>& write,
                                 const azure::Call& call);

}  // namespace azlock::ops
