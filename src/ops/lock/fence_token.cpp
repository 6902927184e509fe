#include "ops/lock/fence_token.hpp"

#include <algorithm>

#include "azure/metadata.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kPerSecond = 1000;
constexpr std::uint64_t kDay = 24ULL * 3600 * kPerSecond;

Error bad_fence(const std::string& what) {
    return make_error(ErrorCode::data, "the lock's fencing token (metadata azl_fence) " + what,
                      "somebody else wrote it; remove azl_fence from the lock's metadata while nobody holds the lock");
}

}  // namespace

Result<std::uint64_t> next_fence(const azure::Metadata& metadata, WallTime date) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(date.time_since_epoch()).count();
    const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0)) * kPerSecond;
    const auto former = azure::find_metadata(metadata, "azl_fence");
    // A new blob starts one second ahead: a blob of the same name may have been deleted within this second.
    if (!former) return now + kPerSecond;
    const auto number = parse_u64(*former);
    if (!number) return fail(bad_fence("is not a number: '" + printable(*former) + "'"));
    if (*number > now + kDay) return fail(bad_fence("is more than a day ahead of the service's clock"));
    return std::max(*number + 1, now);
}

}  // namespace azlock::ops
