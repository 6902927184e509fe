// The lease of a turn: one id from the first try to the end that the service has confirmed.
#include "ops/lease/turn_lease.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::test {
namespace {

struct TurnRig : Rig {
    TurnRig() { service.put("box", "data", "content"); }
    ops::TurnLease turn{us.client()};
};

}  // namespace

TEST_CASE("a turn is taken and given back") {
    TurnRig rig;
    REQUIRE(rig.turn.take(rig.blob, {}));
    CHECK(rig.turn.held());
    CHECK(rig.view().lease_state == "leased");
    rig.turn.release({});
    CHECK(!rig.turn.held());
    CHECK(rig.turn.id().empty());
    CHECK(rig.view().lease_state == "available");
}

TEST_CASE("a try whose answer was lost locks nobody out: it is released, or tried again under the same id") {
    TurnRig rig;
    rig.faulty.on("Lease Blob").from(1).drop_reply();
    CHECK(!rig.turn.take(rig.blob, {}));
    rig.faulty.clear();
    CHECK(!rig.turn.held());
    CHECK(rig.view().lease_state == "leased");
    SECTION("released") {
        rig.turn.release({});
        CHECK(rig.view().lease_state == "available");
    }
    SECTION("tried again") {
        const std::string id = rig.turn.id();
        CHECK(rig.turn.take(rig.blob, {}));
        CHECK(rig.turn.held());
        CHECK(rig.turn.id() == id);
    }
}

TEST_CASE("a release that the service did not confirm keeps the id for the next turn") {
    TurnRig rig;
    REQUIRE(rig.turn.take(rig.blob, {}));
    const std::string id = rig.turn.id();
    rig.faulty.on("Lease Blob").from(1).fail_before();
    rig.turn.release({});
    rig.faulty.clear();
    CHECK(!rig.turn.held());
    CHECK(rig.turn.id() == id);
    CHECK(rig.turn.take(rig.blob, {}));
}

TEST_CASE("another blob has another id, and a lost lease is forgotten") {
    TurnRig rig;
    REQUIRE(rig.turn.take(rig.blob, {}));
    const std::string id = rig.turn.id();
    rig.service.put("box", "other", "content");
    REQUIRE(rig.turn.take({"box", "other", {}}, {}));
    CHECK(rig.turn.id() != id);
    rig.turn.lose();
    CHECK(!rig.turn.held());
    CHECK(rig.turn.id().empty());
}

}  // namespace azlock::test
