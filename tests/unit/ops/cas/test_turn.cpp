// Updates and leases: an update waits for other people's leases; after lost rounds writers take turns with a lease.
#include "support/catch.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {
namespace {

ops::CasOptions without_turns() {
    ops::CasOptions options;
    options.take_turns = false;
    return options;
}

}  // namespace

TEST_CASE(
    "after three lost rounds an update takes a lease, writes under it and under its condition, and gives it back") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    // A peer that would be faster each time.
    rig.faulty.on("Put Blob").nth(1, 4).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "4");
    CHECK(done->tries == 4);
    CHECK(done->turns == 1);
    CHECK(rig.view().lease_state == "available");
    CHECK(rig.done("Lease Blob") == 2);
    bool guarded = false;
    for (const LoggedRequest& line : rig.service.log()) {
        if (line.operation != "Put Blob" || !line.headers.has("x-ms-lease-id")) continue;
        guarded = line.headers.has("If-Match") && line.status == 201;
    }
    CHECK(guarded);
}

TEST_CASE("without turns it tries as often as it may, and then says that others were faster") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").from(1).meanwhile([&] { rig.peer_adds_one(); });
    ops::CasOptions options = without_turns();
    options.max_tries = 7;
    const auto done = rig.add_one(options);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::precondition);
    CHECK(done.error().message.find("7 tries") != std::string::npos);
    CHECK(done.error().retryable);
    CHECK(rig.content() == "7");
    CHECK(rig.service.requests("Lease Blob") == 0);
}

TEST_CASE("a time to wait bounds the tries where no number does") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").from(1).meanwhile([&] { rig.peer_adds_one(); });
    ops::CasOptions options = without_turns();
    options.wait = std::chrono::seconds(30);
    const BootTime start = rig.clock.now();
    const auto done = rig.add_one(options);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::precondition);
    CHECK(rig.clock.now() - start >= std::chrono::seconds(30));
    CHECK(rig.clock.now() - start < std::chrono::seconds(31));
}

TEST_CASE("a lease in the way is waited for, and the transform is not asked before it is gone") {
    for (const bool turns : {true, false}) {
        CAPTURE(turns);
        CasRig rig;
        rig.service.put("box", "data", "0");
        rig.peer_leases(15);
        const BootTime start = rig.clock.now();
        ops::CasOptions options;
        options.take_turns = turns;
        const auto done = rig.add_one(options);
        INFO(why(done));
        REQUIRE(done);
        CHECK(done->tries == 1);
        CHECK(done->turns == 0);  // no try has failed
        CHECK(rig.clock.now() - start >= std::chrono::seconds(15));
        CHECK(rig.content() == "1");
        REQUIRE(rig.said.size() == 1);
        CHECK(rig.said[0].find("waiting for box/data") == 0);
    }
}

TEST_CASE("a lease in the way makes nobody take a turn; a try that it has cost counts like any other") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    // Three leases that come between read and write.
    rig.faulty.on("Put Blob").nth(1, 3).meanwhile([&] { rig.peer_leases(15); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->tries == 4);
    CHECK(done->turns == 1);
    std::size_t acquired = 0;  // by us; the peer has acquired three
    for (const LoggedRequest& line : rig.service.log()) {
        if (line.headers.get("x-ms-lease-action") == "acquire") ++acquired;
    }
    CHECK(acquired == 4);
}

TEST_CASE("before a turn the blob has no lease for a while, so that plain writes get through") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 3).meanwhile([&] { rig.peer_adds_one(); });
    // The last look at the lease comes before the pause.
    std::optional<BootTime> looked;
    rig.faulty.on([](const http::Request& request) { return request.method == http::Method::head; }, "look")
        .from(4)
        .meanwhile([&] {
            if (rig.view().lease_state == "available") looked = looked.value_or(rig.clock.now());
        });
    std::optional<BootTime> taken;
    rig.faulty.on(lease_action("acquire"), "acquire").nth(1).meanwhile([&] { taken = rig.clock.now(); });
    SECTION("without a lease before it") {}
    SECTION("after the turn of a peer") {
        rig.peer_leases(15);
    }
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->turns == 1);
    REQUIRE(looked);
    REQUIRE(taken);
    CHECK(*taken - *looked >= std::chrono::milliseconds(100));
    CHECK(*taken - *looked <= std::chrono::milliseconds(200));
}

TEST_CASE("a lease that is taken between read and write is waited for as well") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1).meanwhile([&] { rig.peer_leases(15); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->tries == 2);
    CHECK(rig.content() == "1");
}

TEST_CASE("a lease that does not end is busy, after a minute or the time that was given") {
    for (const int given : {0, 5}) {
        for (const bool turns : {true, false}) {
            CAPTURE(given, turns);
            CasRig rig;
            rig.service.put("box", "data", "0");
            rig.peer_leases(-1);
            ops::CasOptions options;
            options.take_turns = turns;
            if (given > 0) options.wait = std::chrono::seconds(given);
            const BootTime start = rig.clock.now();
            const auto done = rig.add_one(options);
            REQUIRE(!done);
            CHECK(done.error().code == ErrorCode::busy);
            const auto waited = rig.clock.now() - start;
            CHECK(waited >= std::chrono::seconds(given > 0 ? given : 60));
            CHECK(waited < std::chrono::seconds(given > 0 ? given + 1 : 61));
            CHECK(rig.content() == "0");
        }
    }
}

TEST_CASE("whoever has the lease updates under it") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.peer_leases(60);
    ops::CasOptions options;
    options.lease_id = CasRig::kPeerLease;
    REQUIRE(rig.add_one(options));
    CHECK(rig.content() == "1");
    CHECK(rig.view().lease_state == "leased");
    options.lease_id = "cccccccc-1111-2222-3333-444444444444";
    const auto wrong = rig.add_one(options);
    REQUIRE(!wrong);
    CHECK(wrong.error().code == ErrorCode::busy);
    CHECK(rig.content() == "1");
}

TEST_CASE("a turn that is broken before the write is a lost round, and a write without it does not happen") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 3).meanwhile([&] { rig.peer_adds_one(); });
    rig.faulty.on("Put Blob").nth(4).meanwhile([&] {
        REQUIRE(rig.peer.client().break_lease(rig.blob, 0, {}, {}));
        rig.peer_adds_one();
    });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "5");
    CHECK(done->tries == 5);
    CHECK(done->turns == 2);
}

TEST_CASE("a credential that may not lease goes on without turns") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 5).meanwhile([&] { rig.peer_adds_one(); });
    rig.faulty.on("Lease Blob").nth(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "6");
    CHECK(rig.faulty.requests("Lease Blob") == 1);
}

TEST_CASE("an acquire whose answer was lost locks nobody out") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 3).meanwhile([&] { rig.peer_adds_one(); });
    rig.faulty.on("Lease Blob").nth(1).drop_reply();
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "4");
    CHECK(rig.view().lease_state == "available");
}

TEST_CASE("who gives up under a turn gives it back") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 3).meanwhile([&] { rig.peer_adds_one(); });
    rig.faulty.on("Put Blob").nth(4).return_status(403, "AuthorizationFailure");
    const auto done = rig.add_one();
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::auth);
    CHECK(rig.view().lease_state == "available");
}

}  // namespace azlock::test
