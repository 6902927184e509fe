// A break hits only the lease that was meant, whatever happens meanwhile; lost answers; dead holders.
#include "support/catch.hpp"
#include "unit/ops/lease/lease_break_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::kOurs;
using test::kTheirs;
using test::why;
using Outcome = BreakReport::Outcome;

}  // namespace

TEST_CASE("a newer holder that came after the look is not hit") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.period = 0;
    SECTION("with a condition") {
        b.options.conditions.owner = {{"owner", "deploy"}};
    }
    SECTION("because the holder is dead") {
        b.options.holder_is_dead = true;
        b.options.conditions.fence = 1;
    }
    b.on_lease("break").nth(1).meanwhile([&] {
        b.release(kTheirs);
        b.hold(kOurs, "newer");
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(b.holder() == kOurs);
    CHECK(b.state() == "leased");
}

TEST_CASE("a holder that writes the blob meanwhile is still the one that was meant") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.conditions.owner = {{"owner", "deploy"}};
    b.options.period = 0;
    b.on_lease("break").nth(1).meanwhile([&] {
        auto metadata = b.view().metadata;
        metadata["job"] = "18";
        b.describe(metadata, kTheirs);
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(b.state() == "broken");
}

TEST_CASE("a break that the holder's writes keep from its version gives up") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.conditions.owner = {{"owner", "deploy"}};
    b.on_lease("break").from(1).meanwhile([&] { b.describe(b.view().metadata, kTheirs); });
    const auto report = b.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
}

TEST_CASE("a break whose answer was lost is repeated") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    const bool bound = GENERATE(false, true);
    if (bound) b.options.conditions.owner = {{"owner", "deploy"}};
    SECTION("carried out") {
        b.on_lease("break").nth(1).drop_reply();
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(report->seconds_left >= 36);
        CHECK(b.state() == "breaking");
    }
    SECTION("not carried out") {
        b.on_lease("break").nth(1).lose_request();
        REQUIRE(b.run());
        CHECK(b.state() == "breaking");
    }
    SECTION("carried out, and then somebody wrote: the lease is forgotten") {
        b.options.period = 0;
        b.on_lease("break").nth(1).with("lost, then a write",
                                        [&](const test::FaultCall& call) -> Result<http::Response> {
                                            (void)call.forward(call.request);
                                            b.describe({{"by", "somebody"}});
                                            Error error = make_error(ErrorCode::unavailable, "the connection broke");
                                            error.fault = TransportFault::reset;
                                            error.may_have_applied = true;
                                            return fail(error);
                                        });
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(b.state() == "available");
    }
}

TEST_CASE("a dead holder's lease is broken at once, its record marked, and the blob free") {
    Breaking b;
    b.options.holder_is_dead = true;
    SECTION("leased") {
        b.hold(kTheirs, "deploy", -1);
    }
    SECTION("being broken") {
        b.hold(kTheirs, "deploy");
        b.break_it(30);
    }
    SECTION("broken before") {
        b.hold(kTheirs, "deploy");
        b.break_it(0);
    }
    SECTION("expired") {
        b.hold(kTheirs, "deploy", 15);
        b.clock.advance(seconds(16));
    }
    SECTION("the mark's answer is lost") {
        b.hold(kTheirs, "deploy");
        b.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    }
    SECTION("the break's answer is lost") {
        b.hold(kTheirs, "deploy");
        b.on_lease("break").nth(1).drop_reply();
    }
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(report->seconds_left == 0);
    CHECK(report->dead_mark == true);
    CHECK(b.state() == "available");
    const auto head = b.peer.client().get_properties(b.blob, {}, {});
    REQUIRE(head);
    CHECK(holder_is_dead(head->properties.metadata));
    CHECK(head->properties.metadata.at("job") == "17");
}

TEST_CASE("a dead holder without a record is freed, and nothing is marked") {
    Breaking b;
    b.acquire(kTheirs);
    b.options.holder_is_dead = true;
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->dead_mark == true);
    CHECK(b.state() == "available");
    CHECK(b.view().metadata.empty());
}

TEST_CASE("who takes the lease between the break and the mark is left alone") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] { b.acquire(kOurs, 60); });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->dead_mark == false);
    CHECK(b.holder() == kOurs);
    CHECK(!holder_is_dead(b.peer.client().get_properties(b.blob, {}, {})->properties.metadata));
}

TEST_CASE("a mark does not overwrite the record of who came and went meanwhile") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] {
        b.hold(kOurs, "newer");
        b.release(kOurs);
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    const auto head = b.peer.client().get_properties(b.blob, {}, {});
    CHECK(read_owner_record(head->properties.metadata).owner == "newer");
    CHECK(!holder_is_dead(head->properties.metadata));
}

TEST_CASE("a mark that cannot be written is an error that says what was done") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto report = b.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::auth);
    CHECK(report.error().message.find("the lease is broken") != std::string::npos);
}

}  // namespace azlock::ops
