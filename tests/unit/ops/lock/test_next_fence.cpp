// The fencing token: it grows for each holder.
#include "ops/lock/next_fence.hpp"
#include "support/catch.hpp"
#include "unit/ops/lock/acquire_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::AcquireRig;

}  // namespace

TEST_CASE("the fence grows, never falls behind the clock, and is of the next second on a new blob") {
    const WallTime now{seconds(1'700'000'000)};
    const auto token = [&](const azure::Metadata& metadata) { return next_fence(metadata, now, now).value().token; };
    CHECK(token({}) == 1'700'000'001'500);
    CHECK(next_fence({}, now, now).value().after == seconds(1));
    CHECK(next_fence({}, now, now + seconds(1)).value().token == 1'700'000'001'500);
    CHECK(next_fence({}, now, now + seconds(1)).value().after == seconds(0));
    CHECK(next_fence({}, now, now + seconds(9)).value().token == 1'700'000'009'500);
    CHECK(token({{"azl_fence", "1700000001000"}}) == 1'700'000'001'001);
    CHECK(next_fence({{"azl_fence", "1700000001000"}}, now, now).value().after == seconds(0));
    CHECK(token({{"AZL_Fence", "5"}}) == 1'700'000'000'000);
    CHECK(next_fence({{"azl_fence", "x"}}, now, now).error().code == ErrorCode::data);
    CHECK(next_fence({{"azl_fence", "1700086400001"}}, now, now).error().code == ErrorCode::data);
}

TEST_CASE("no holder gets the fence of a former one, however often the blob is deleted or its metadata lost") {
    AcquireRig r;
    std::uint64_t last = 0;
    const auto turn = [&] {
        const auto held = r.take();
        REQUIRE(held);
        r.rig.clock.wait_until(held->fence_from, {});  // as a run does before it writes the record
        REQUIRE(r.acquirer.write_record(*held, r.record, {}));
        CHECK(held->fence > last);
        last = held->fence;
        REQUIRE(r.acquirer.release(*held, {}));
    };
    for (int round = 0; round < 6; ++round) {
        for (int holders = 0; holders < 3; ++holders) turn();
        if (round % 2 == 0) {
            r.rig.service.erase("locks", "name");
        } else {
            REQUIRE(r.rig.peer.client().set_metadata(r.blob, {}, {}, {}));
        }
    }
}

}  // namespace azlock::ops
