// Updates by compare and swap that carry a fence.
#include "ops/cas/update.hpp"
#include "support/catch.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {

TEST_CASE("a fenced update is refused where a later holder has written, and raises the token where not") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    ops::CasOptions options;
    options.fence = ops::Fence{7, "https://x/locks/a"};
    REQUIRE(rig.add_one(options));
    CHECK(rig.view().metadata.at("azl_fence") == "7");
    CHECK(rig.view().metadata.at("azl_fence_by") == "https://x/locks/a");
    options.fence->token = 8;
    REQUIRE(rig.update(ops::replace_by("1"), options));  // the same content, a newer token
    CHECK(rig.view().metadata.at("azl_fence") == "8");
    options.fence->token = 7;
    const auto older = rig.add_one(options);
    REQUIRE(!older);
    CHECK(older.error().code == ErrorCode::precondition);
    CHECK(older.error().target == "box/data");
    CHECK(rig.content() == "1");
    REQUIRE(rig.add_one());  // a write without a token keeps the token that is there
    CHECK(rig.view().metadata.at("azl_fence") == "8");
}

TEST_CASE("a fenced update that is overtaken by a later holder is refused, not repeated") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    ops::CasOptions options;
    options.fence = ops::Fence{7, "https://x/locks/a"};
    rig.faulty.on("Put Blob").meanwhile([&] {
        ops::CasOptions later;
        later.fence = ops::Fence{8, "https://x/locks/a"};
        REQUIRE(ops::cas_update(rig.peer.client(), rig.blob, ops::add_integer(10), later, {}));
    });
    const auto done = rig.add_one(options);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "10");
}

TEST_CASE("a fenced update that makes the blob discards nobody's staged blocks before its condition is checked") {
    CasRig rig;
    ops::CasOptions options;
    options.create = true;
    options.fence = ops::Fence{7, "https://x/locks/a"};
    rig.faulty.on("Put Block List").drop_reply();
    const auto done = rig.add_one(options);
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->recognised);
    CHECK(rig.content() == "1");
    CHECK(rig.done("Put Blob") == 0);
    CHECK(rig.view().metadata.at("azl_fence") == "7");
}

}  // namespace azlock::test
