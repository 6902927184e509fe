// An update whose answers are lost is carried out exactly once.
#include "support/catch.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {
namespace {

ops::CasOptions creating() {
    ops::CasOptions options;
    options.create = true;
    return options;
}

}  // namespace

TEST_CASE("an update whose answer was lost is found in the blob, not done again") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").drop_reply();
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "1");
    CHECK(done->value == 1);
    CHECK(done->recognised);
    CHECK(done->tries == 1);
    CHECK(done->etag == '"' + rig.view().etag + '"');
}

TEST_CASE("it is found also below a peer's update that came in between") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1).drop_reply();
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "2");
    CHECK(done->value == 1);
    CHECK(done->recognised);
    CHECK(done->etag.empty());
}

TEST_CASE(
    "an update that never arrived, and a peer's that did, is no false success, whoever wrote the version before") {
    CasRig rig;
    const bool ours = GENERATE(true, false);
    rig.service.put("box", "data", ours ? "0" : "1");
    if (ours) rig.peer_adds_one();
    rig.faulty.on("Put Blob").nth(1).lose_request();
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "3");
    CHECK(done->value == 3);
    CHECK(done->tries == 2);
}

TEST_CASE("a round that was lost for certain and one whose answer is lost are each seen for what they are") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    // The first round is lost to a peer. The second one is carried out, its answer is lost, and a peer writes over it
    // before we ask again.
    rig.faulty.on("Put Blob").nth(1).meanwhile([&] { rig.peer_adds_one(); });
    rig.faulty.on("Put Blob").nth(2).drop_reply();
    rig.faulty.on("Put Blob").nth(3).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "3");
    CHECK(done->value == 2);
    CHECK(done->tries == 2);
}

TEST_CASE("where another tool wiped the list of writes nobody can tell, and that is what it says") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1).drop_reply();
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { rig.service.put("box", "data", "77"); });
    const auto done = rig.add_one();
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::unavailable);
    CHECK(done.error().may_have_applied);
    CHECK(rig.content() == "77");
}

TEST_CASE("a creation whose answer was lost is found, also below a peer's update") {
    CasRig rig;
    rig.faulty.on("Put Block List").nth(1).drop_reply();
    SECTION("alone") {}
    SECTION("with a peer's update") {
        rig.faulty.on("Put Block List").nth(2).meanwhile([&] { rig.peer_adds_one(); });
    }
    const auto done = rig.add_one(creating());
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->created);
    CHECK(done->value == 1);
    CHECK(rig.content() == (done->etag.empty() ? "2" : "1"));
}

TEST_CASE("a creation whose answer was lost is not repeated over a later blob of that name") {
    for (const bool peer : {true, false}) {
        for (const bool fenced : {true, false}) {
            CAPTURE(peer, fenced);
            CasRig rig;
            rig.faulty.on("Put Block List").nth(1).drop_reply();
            rig.faulty.on("Put Block List").nth(2).meanwhile([&] {
                CHECK(rig.content() == "1");
                rig.service.erase("box", "data");
                if (peer) rig.peer_adds_one(true);
            });
            ops::CasOptions options = creating();
            if (fenced) options.fence = ops::Fence{7, "https://x/locks/a"};
            const auto done = rig.add_one(options);
            REQUIRE(!done);
            CHECK(done.error().code == ErrorCode::unavailable);
            CHECK(done.error().may_have_applied);
            CHECK(rig.content() == (peer ? std::optional<std::string>("1") : std::nullopt));
        }
    }
}

TEST_CASE("a creation that never arrived is done once") {
    CasRig rig;
    rig.faulty.on("Put Block").nth(1).drop_reply();
    rig.faulty.on("Put Block List").nth(1).lose_request();
    const auto done = rig.add_one(creating());
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->created);
    CHECK(rig.content() == "1");
}

TEST_CASE("a creation that was refused is an update, also where the refusal was lost but our block proves it") {
    CasRig rig;
    rig.faulty.on("Put Block").nth(1).meanwhile([&] { rig.peer_adds_one(true); });
    rig.faulty.on("Put Block List").nth(1).with("the refusal is lost", after_and_lost([] {}));
    const auto done = rig.add_one(creating());
    INFO(why(done));
    REQUIRE(done);
    CHECK(!done->created);
    CHECK(rig.content() == "2");
    CHECK(done->tries == 2);
}

TEST_CASE("a creation is undecided if its refusal was lost and somebody created the blob while it was under way") {
    CasRig rig;
    SECTION("another tool") {
        rig.faulty.on("Put Block List").nth(1).with("another tool creates it", after_and_lost([&] {
                                                        rig.service.put("box", "data", "1");
                                                    }));
    }
    SECTION("a peer") {
        rig.faulty.on("Put Block List").nth(1).with("a peer creates it", after_and_lost([&] {
                                                        rig.peer_adds_one(true);
                                                    }));
    }
    const auto done = rig.add_one(creating());
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::unavailable);
    CHECK(done.error().may_have_applied);
    CHECK(rig.content() == "1");
}

TEST_CASE("a creation whose block others discarded before its commit starts again") {
    CasRig rig;
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] {
        rig.peer_adds_one(true);
        rig.service.erase("box", "data");
    });
    const auto done = rig.add_one(creating());
    INFO(why(done));
    REQUIRE(done);
    CHECK(done->created);
    CHECK(done->tries == 2);
    CHECK(rig.content() == "1");
}

TEST_CASE("an empty blob is created too") {
    CasRig rig;
    ops::CasOptions options = creating();
    REQUIRE(rig.update(ops::replace_by(""), options));
    CHECK(rig.content() == "");
}

TEST_CASE("a write that was held up on its way, while a lease refused its repeat, is done once when it arrives") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.peer_adds_one();
    // It arrives after the next read, when the lease is over.
    rig.faulty.on("Put Blob").nth(1).arrive_late([](const http::Request& request) {
        return request.method == http::Method::head && request.headers.has("If-Match");
    });
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { rig.peer_leases(15); });
    ops::CasOptions options;
    options.take_turns = false;
    const auto done = rig.add_one(options);
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "2");
    CHECK(done->value == 2);
    CHECK(done->recognised);
    // All requests over one version are one write with one id, however often it is sent.
    std::vector<std::string> ids;
    for (const LoggedRequest& line : rig.service.log()) {
        if (line.operation == "Put Blob") ids.emplace_back(line.headers.get("x-ms-meta-azl_writes"));
    }
    REQUIRE(ids.size() >= 4);  // the peer's; ours: refused, late, and again over the same version
    CHECK(ids[1] == ids[2]);
    CHECK(ids[1] == ids[3]);
}

TEST_CASE("no answer at all is 'may have been applied', never a conflict") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").from(1).lose_request();
    const auto done = rig.add_one();
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::unavailable);
    CHECK(done.error().may_have_applied);
}

TEST_CASE("throttling and server errors are no conflicts") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 2).return_status(503, "ServerBusy");
    rig.faulty.on("Get Blob").nth(1).return_status(500, "InternalError");
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "1");
    CHECK(done->tries == 1);
}

}  // namespace azlock::test
