#include "ops/lock/next_fence.hpp"

#include <algorithm>

#include "azure/metadata.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kFencePerSecond = 1000;
constexpr std::uint64_t kFenceDay = 24ULL * 3600 * kFencePerSecond;

Error bad_fence(const std::string& what) {
    return make_error(ErrorCode::data, "the lock's fencing token (metadata azl_fence) " + what,
                      "somebody else wrote it; remove azl_fence from the lock's metadata while nobody holds the lock");
}

}  // namespace

// All tokens that holders got until the service's clock showed second D are below (D + 1) x 1000, because no lock has
// 500 holders in a second. A lock that was written in second C gets its first token from second C + 1, and not before
// that second. The token is in the middle of the second, because the service's machines do not all change the second at
// the same moment.
Result<NextFence> next_fence(const azure::Metadata& metadata, WallTime modified, WallTime date) {
    const auto second_of = [](WallTime time) {
        const auto count = std::chrono::floor<seconds>(time.time_since_epoch()).count();
        return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
    };
    const std::uint64_t now = second_of(date);
    const auto former = azure::find_metadata(metadata, "azl_fence");
    if (!former) {
        const std::uint64_t first = std::max(second_of(modified) + 1, now);
        return NextFence{first * kFencePerSecond + kFencePerSecond / 2, seconds(first - now)};
    }
    const auto number = parse_u64(*former);
    if (!number) return fail(bad_fence("is not a number: '" + printable(*former) + "'"));
    if (*number > now * kFencePerSecond + kFenceDay) {
        return fail(bad_fence("is more than a day ahead of the service's clock"));
    }
    return NextFence{std::max(*number + 1, now * kFencePerSecond)};
}

}  // namespace azlock::ops
