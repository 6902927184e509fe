#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;
using ops::AppendLease;

namespace {

constexpr const char* kLock = "http://127.0.0.1:10000/rigaccount/locks/deploy";

ops::AppenderOptions fenced(std::uint64_t token, AppendLease lease = AppendLease::turns) {
    auto options = with_lease(lease);
    options.send.fence = ops::Fence{token, kLock};
    return options;
}

}  // namespace

TEST_CASE("a fenced append leaves its token, and each block is on the version that carries it", "[append][fence]") {
    AppendRig rig;
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::exclusive, AppendLease::none);
    const auto report = rig.append({"one\n", "two\n"}, fenced(7, lease));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\n");
    CHECK(rig.view().metadata.at("azl_fence") == "7");
    CHECK(rig.view().metadata.at("azl_fence_by") == kLock);
    CHECK(rig.sent("Append Block", 1).has("If-Match"));
    CHECK(rig.sent("Append Block", 2).has("If-Match"));
    CHECK(rig.done("Set Blob Metadata") == 1);
}

TEST_CASE("an older token is refused before anything is written, a newer one is raised", "[append][fence]") {
    AppendRig rig;
    REQUIRE(rig.append({"one\n"}, fenced(7)));
    const auto old = rig.append({"old\n"}, fenced(6));
    REQUIRE(!old);
    CHECK(old.error().code == ErrorCode::precondition);
    REQUIRE(rig.append({"two\n"}, fenced(8)));
    CHECK(rig.content() == "one\ntwo\n");
    CHECK(rig.view().metadata.at("azl_fence") == "8");
}

TEST_CASE("a writer that a later holder has overtaken appends nothing more", "[append][fence]") {
    AppendRig rig;
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::none);
    ListSource source(rig.clock, {"one\n", "two\n"});
    source.before_batch = [&](std::size_t number) {
        if (number != 1) return;
        rig.clock.advance(20s);
        ListSource later(rig.clock, {"later\n"});
        CHECK(rig.append_as(rig.other, later, fenced(8, lease)));
    };
    const auto report = rig.append(source, fenced(7, lease));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "one\nlater\n");
}

TEST_CASE("a fenced append whose answer is lost is there once", "[append][fence]") {
    AppendRig rig;
    const AppendLease lease = GENERATE(AppendLease::turns, AppendLease::none);
    SECTION("carried out") {
        rig.faulty.on("Append Block").nth(2).drop_reply();
    }
    SECTION("not carried out") {
        rig.faulty.on("Append Block").nth(2).lose_request();
    }
    SECTION("arrives late") {
        rig.faulty.on("Append Block").nth(2).arrive_late(operation("Append Block"));
    }
    SECTION("the answer to the raising is lost") {
        rig.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    }
    const auto report = rig.append({"one\n", "two\n", "three\n"}, fenced(7, lease));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\ntwo\nthree\n");
}

TEST_CASE("a lost append behind which a later holder wrote is found, and nothing follows it", "[append][fence]") {
    AppendRig rig;
    const bool applied = GENERATE(true, false);
    rig.faulty.on("Append Block").nth(2).with("overtaken", [&, applied](const FaultCall& call) {
        if (applied) CHECK(call.forward(call.request));
        ListSource later(rig.clock, {"later\n"});
        CHECK(rig.append_as(rig.other, later, fenced(8, AppendLease::none)));
        Error error = make_error(ErrorCode::unavailable, "lost");
        error.fault = TransportFault::timeout;
        error.may_have_applied = true;
        return Result<http::Response>(fail(std::move(error)));
    });
    const auto report = rig.append({"one\n", "two\n", "three\n"}, fenced(7, AppendLease::none));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == (applied ? "one\ntwo\nlater\n" : "one\nlater\n"));
}

TEST_CASE("an --if-match beside a fence is held against what was looked at", "[append][fence]") {
    AppendRig rig;
    rig.peer_creates();
    auto options = fenced(7);
    options.send.if_match = '"' + rig.view().etag + '"';
    SECTION("it holds") {
        CHECK(rig.append({"one\n"}, options));
    }
    SECTION("it does not") {
        rig.peer_appends("theirs\n");
        const auto report = rig.append({"one\n"}, options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.content() == "theirs\n");
    }
}

TEST_CASE("without input, an older token seals nothing and is refused, and a newer one is left by the seal",
          "[append][fence]") {
    AppendRig rig;
    REQUIRE(rig.append({"one\n"}, fenced(9)));
    const auto none = std::vector<std::string>();
    auto options = fenced(3);
    options.seal = GENERATE(true, false);
    const auto old = rig.append(none, options);
    REQUIRE(!old);
    CHECK(old.error().code == ErrorCode::precondition);
    CHECK(rig.done("Append Blob Seal") == 0);
    options.send.fence->token = 10;
    REQUIRE(rig.append(none, options));
    CHECK((rig.done("Append Blob Seal") == 1) == options.seal);
    if (options.seal) CHECK(rig.view().metadata.at("azl_fence") == "10");
}

TEST_CASE("a fenced write with --if-match finds no later version, also if the input comes late", "[append][fence]") {
    AppendRig rig;
    rig.peer_creates();
    auto options = fenced(7);
    options.seal = GENERATE(true, false);
    options.send.if_match = '"' + rig.view().etag + '"';
    ListSource source(rig.clock, {"one\n"});
    source.before_batch = [&](std::size_t number) {
        if (number == 0) rig.peer_appends("theirs\n");
    };
    const auto report = rig.append(source, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "theirs\n");
    CHECK(rig.done("Append Blob Seal") == 0);
}

TEST_CASE("a fenced seal whose answer is lost is done, also where a seal changes the ETag", "[append][fence]") {
    AppendRig rig;
    auto options = fenced(7);
    options.seal = true;
    rig.faulty.on("Append Blob Seal").nth(1).drop_reply();
    rig.faulty.on("Append Blob Seal").nth(2).return_status(412, "ConditionNotMet");
    const auto report = rig.append({"one\n"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->sealed);
}

TEST_CASE("an --if-match beside a fence survives the lost answer to the raising", "[append][fence]") {
    AppendRig rig;
    rig.peer_creates();
    auto options = fenced(7);
    options.send.if_match = '"' + rig.view().etag + '"';
    rig.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    const auto report = rig.append({"one\n"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one\n");
}

TEST_CASE("the continuation of a full blob is fenced as well", "[append][fence]") {
    AppendRig rig;
    auto options = fenced(7);
    options.rotate = true;
    options.send.max_size = 8;
    const auto report = rig.append({"aaaa", "bbbb", "cccc"}, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.service.content("box", "data.0001") == "cccc");
    CHECK(rig.service.peek("box", "data.0001")->metadata.at("azl_fence") == "7");
}
