#include "http/retry.hpp"

#include <algorithm>
#include <cmath>

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::http {
namespace {

using std::chrono::milliseconds;

// Larger values are nonsense; the bound keeps the arithmetic far from overflow.
constexpr std::uint64_t kMaxRetryAfterSeconds = 366ULL * 24 * 3600;

std::optional<milliseconds> read_number(std::string_view value, std::uint64_t unit_ms) {
    const auto number = parse_u64(trim(value));
    if (!number) return std::nullopt;
    return milliseconds(std::min(*number, kMaxRetryAfterSeconds * 1000 / unit_ms) * unit_ms);
}

}  // namespace

bool is_transient_status(int status) {
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

bool is_transient(const Error& error) {
    return error.fault != TransportFault::none && error.fault != TransportFault::tls &&
           error.fault != TransportFault::local_body;
}

milliseconds backoff(const RetryPolicy& policy, int retry, std::optional<milliseconds> retry_after, Random& random) {
    const double ceiling = std::min(static_cast<double>(policy.cap.count()),
                                    static_cast<double>(policy.first.count()) * std::exp2(std::min(retry - 1, 40)));
    const milliseconds jittered(static_cast<std::int64_t>(ceiling * random.unit()));
    if (!retry_after) return jittered;
    return std::max(jittered, std::min(*retry_after, policy.retry_after_cap));
}

std::optional<milliseconds> retry_after(const Headers& headers, WallTime now) {
    for (const std::string_view name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
        if (const auto* value = headers.find(name)) {
            if (const auto wait = read_number(*value, 1)) return wait;
        }
    }
    const auto* value = headers.find("Retry-After");
    if (value == nullptr) return std::nullopt;
    if (const auto wait = read_number(*value, 1000)) return wait;
    const auto when = parse_http_date(trim(*value));
    if (!when) return std::nullopt;
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*when - now));
}

}  // namespace azlock::http
