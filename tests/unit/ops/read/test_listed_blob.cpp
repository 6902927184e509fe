// A name that somebody on the way may read as another one: no other blob can be touched.
#include "ops/read/listed_blob.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

const azure::BlobAddress kDot{"box", "dot.", {}};

}  // namespace

TEST_CASE("a blob whose name has a part that ends in a dot is found in the listing, and its ETag is the condition") {
    test::Rig rig;
    rig.service.put("box", "dot", "other");
    rig.service.put("box", "dot.", "x");
    rig.service.put("box", "dot.and more", "y");
    for (const char* asked : {"", "*"}) {
        azure::Conditions conditions;
        conditions.if_match = asked;
        REQUIRE(pin_listed_blob(rig.us.client(), kDot, conditions, {}));
        CHECK(conditions.if_match == '"' + rig.service.peek("box", "dot.")->etag + '"');
        CHECK(rig.us.client().get_properties(kDot, conditions, {}));
        const auto other = rig.us.client().get_properties({"box", "dot", {}}, conditions, {});
        REQUIRE(!other);
        CHECK(other.error().code == ErrorCode::precondition);
    }
}

TEST_CASE("a name that is not listed is no blob, whatever a request for it would find") {
    test::Rig rig;
    rig.service.put("box", "dot.and more", "y");
    azure::Conditions conditions;
    const auto pinned = pin_listed_blob(rig.us.client(), kDot, conditions, {});
    REQUIRE(!pinned);
    CHECK(pinned.error().code == ErrorCode::not_found);
    CHECK(pinned.error().target == "box/dot.");
}

TEST_CASE("the user's ETag stays a condition of a listed blob") {
    test::Rig rig;
    rig.service.put("box", "dot.", "x");
    azure::Conditions conditions;
    conditions.if_match = "\"0x1\"";
    const auto pinned = pin_listed_blob(rig.us.client(), kDot, conditions, {});
    REQUIRE(!pinned);
    CHECK(pinned.error().code == ErrorCode::precondition);
}

TEST_CASE("any other name costs no request and gets no condition") {
    test::Rig rig;
    for (const char* name : {"data", ".data", "a.b", "a/.b/c", ""}) {
        azure::Conditions conditions;
        CHECK(pin_listed_blob(rig.us.client(), {"box", name, {}}, conditions, {}));
        CHECK(!conditions.any());
    }
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::ops
