#include "ops/append/outage_retry.hpp"

#include <algorithm>

#include "azure/refusals.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kAttempt{10};
constexpr std::uint64_t kSlowestRate = 64 * 1024;  // bytes per second
// A page of somebody else is taken for the service's place after so many, if the service has never answered.
constexpr int kUnansweredAttempts = http::RetryPolicy().max_attempts;
constexpr http::RetryPolicy kPolicy{1, milliseconds(200), milliseconds(10'000), milliseconds(120'000)};

// The first attempt after a broken connection is made at once: most often the connection was idle.
bool broken_once(const Error& error, int failures) {
    return failures == 1 && (error.fault == TransportFault::reset || error.fault == TransportFault::early_close);
}

}  // namespace

bool OutageRetry::is_passing(const Error& error) const {
    const bool strange = answered_ && error.fault == TransportFault::malformed;
    return error.code == ErrorCode::unavailable && (error.retryable || strange);
}

OutageRetry::OutageRetry(azure::BlobClient& client, OutageRetryOptions options, azure::Call call)
    : client_(client), clock_(client.clock()), options_(std::move(options)), call_(std::move(call)) {}

azure::Call OutageRetry::attempt(std::uint64_t bytes) const {
    return {std::min(call_.deadline, clock_.after(kAttempt + seconds(bytes / kSlowestRate))), call_.stop};
}

bool OutageRetry::over() const {
    return call_.stop.stop_requested() || clock_.now() >= call_.deadline;
}

void OutageRetry::succeeded(Failing& failing) {
    if (failing.told) options_.told.ended(clock_.now() - *failing.since);
    failing = {};
}

Status OutageRetry::pause(Failing& failing, const Error& failure) {
    if (!is_passing(failure)) {
        if (failure.http_status != 0) succeeded(failing);
        return fail(failure);
    }
    const BootTime now = clock_.now();
    if (!failing.since) failing.since = now;
    ++failing.count;
    const bool given_up = options_.retry_for && now - *failing.since >= *options_.retry_for;
    const bool not_the_service = !answered_ && azure::is_foreign_page(failure) && failing.count >= kUnansweredAttempts;
    if (given_up || not_the_service || over()) return fail(failure);
    if (!failing.told && now - *failing.since >= kTellOutageAfter) {
        failing.told = true;
        options_.told.began(failure);
    }
    ++retries_;
    if (options_.counted != nullptr) ++*options_.counted;
    if (broken_once(failure, failing.count)) return {};
    std::optional<milliseconds> asked;
    if (failure.retry_after_ms) asked = milliseconds(*failure.retry_after_ms);
    std::chrono::nanoseconds span = http::backoff(kPolicy, std::min(failing.count, 16), asked, client_.random());
    if (options_.retry_for) span = std::min<std::chrono::nanoseconds>(span, *failing.since + *options_.retry_for - now);
    if (wait(span)) return {};
    return fail(failure);
}

bool OutageRetry::wait(std::chrono::nanoseconds span) {
    const BootTime until = clock_.after(span);
    if (until < call_.deadline) return clock_.wait_until(until, call_.stop);
    (void)clock_.wait_until(call_.deadline, call_.stop);
    return false;
}

}  // namespace azlock::ops
