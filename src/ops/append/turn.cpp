#include "ops/append/turn.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr milliseconds kFirstPause{60};
constexpr milliseconds kLongestPause{250};  // between two tries of a writer that waits
constexpr milliseconds kGap{250};           // after a long turn, so that a waiting writer can take the lease
constexpr seconds kLongWait{20};

bool is_taken(const Error& error) {
    return error.service_code == "LeaseAlreadyPresent" || error.service_code == "LeaseIsBreakingAndCannotBeAcquired";
}

}  // namespace

AppendTurn::AppendTurn(azure::BlobClient& client, OutageRetry& retry, TurnOptions options)
    : client_(client), clock_(client.clock()), retry_(retry), options_(std::move(options)), lease_(client) {}

bool AppendTurn::due_to_end() const {
    return held() && clock_.now() - taken_ >= kLongest;
}

Result<std::string> AppendTurn::take(const azure::BlobAddress& blob) {
    contended_ = false;
    told_ = false;
    pause_ = kFirstPause;
    const BootTime since = clock_.now();
    if (since < not_before_ && !retry_.wait(not_before_ - since)) {
        return fail(ErrorCode::cancelled, "stopped while azlock waited for its turn");
    }
    for (;;) {
        BootTime sent;
        auto taken = retry_.ask([&](const azure::Call& call) {
            sent = clock_.now();
            return lease_.take(blob, call);
        });
        if (taken) {
            taken_ = renewed_ = sent;
            return taken->etag;
        }
        if (!is_taken(taken.error())) return fail(taken.error());
        contended_ = true;
        if (auto go_on = wait_for_it(taken.error(), since); !go_on) return fail(go_on.error());
    }
}

Status AppendTurn::adopt(const azure::BlobAddress& blob, const std::string& lease_id) {
    lease_.adopt(blob, lease_id);
    auto renewed = renew();
    if (!renewed) lose();
    taken_ = renewed_;
    return renewed;
}

Status AppendTurn::wait_for_it(const Error& refused, BootTime since) {
    const nanoseconds waited = clock_.now() - since;
    const bool too_long = options_.wait && waited >= *options_.wait;
    if (too_long || (!told_ && waited >= kLongWait)) {
        const auto seen = look_at_lease(client_, lease_.blob(), retry_.attempt());
        if (too_long) {
            return fail(explain_refusal(LeaseAction::acquire, refused, seen ? std::optional(*seen) : std::nullopt));
        }
        told_ = seen.has_value();
        if (seen && seen->is_taken() && options_.waiting) options_.waiting(*seen);
    }
    nanoseconds pause = jittered(pause_, 0.5, 1, client_.random());
    pause_ = std::min(pause_ * 2, kLongestPause);
    if (options_.wait) pause = std::min(pause, std::max(*options_.wait - waited, nanoseconds(1)));
    if (retry_.wait(pause)) return {};
    return fail(ErrorCode::cancelled, "stopped while another writer had the lease of the blob");
}

Status AppendTurn::renew() {
    BootTime sent;
    auto renewed = retry_.ask([&](const azure::Call& call) {
        sent = clock_.now();
        return renew_once(client_, lease_.blob(), lease_.id(), call);
    });
    if (renewed) renewed_ = sent;
    return renewed;
}

void AppendTurn::end(const azure::Call& call) {
    if (due_to_end()) not_before_ = clock_.after(kGap);
    lease_.release(call);
}

}  // namespace azlock::ops
