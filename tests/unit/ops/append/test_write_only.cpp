// A credential that may append and not read: every byte once, and a lost answer is said to be unknown.
#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"
#include "unit/sas_actor.hpp"

using namespace azlock;
using namespace azlock::test;
using ops::AppendLease;

namespace {

struct SasAppendRig : AppendRig {
    explicit SasAppendRig(const std::string& permissions)
        : AppendRig(taking_sas(permissions)), limited(faulty, clock, permissions, one_attempt()) {}

    Result<ops::AppendReport> append_limited(ListSource& source, ops::AppenderOptions options = {}) {
        options.unseen = [this] { ++told; };
        ops::Appender appender(limited.client(), blob, options, {});
        if (auto opened = appender.open(); !opened) return fail(opened.error());
        if (auto ran = appender.run(source); !ran) return fail(ran.error());
        return appender.report();
    }

    SasActor limited;
    int told = 0;
};

}  // namespace

TEST_CASE("a SAS that may only write appends, to a new blob or after what is there", "[append]") {
    SasAppendRig rig("w");
    const auto lease = GENERATE(AppendLease::turns, AppendLease::exclusive, AppendLease::none);
    const std::string before = GENERATE(std::string(), std::string("before "));
    if (!before.empty()) {
        rig.peer_creates();
        rig.peer_appends(before);
    }
    ListSource source(rig.clock, {"one ", "two ", "three"});
    const auto report = rig.append_limited(source, with_lease(lease));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == before + "one two three");
    CHECK(report->bytes == 13);
    CHECK(report->first_offset == before.size());
    CHECK(report->etag == '"' + rig.view().etag + '"');
    CHECK(rig.lease_state() == "available");
    CHECK(rig.told == 1);
    const std::size_t first = before.empty() ? 1 : 2;
    CHECK(!rig.sent("Append Block", first).has("x-ms-blob-condition-appendpos"));
    CHECK(rig.sent("Append Block", first + 1).has("x-ms-blob-condition-appendpos"));
}

TEST_CASE("a SAS that may only write: another writer in between costs no byte", "[append]") {
    SasAppendRig rig("w");
    const auto lease = GENERATE(AppendLease::turns, AppendLease::none);
    rig.peer_creates();
    ListSource source(rig.clock, {"one ", "two"});
    if (lease == AppendLease::turns) source.pause_before(1, std::chrono::seconds(5));
    source.before_batch = [&, done = false](std::size_t number) mutable {
        if (number == 1 && !std::exchange(done, true)) rig.peer_appends("theirs ");
    };
    const auto report = rig.append_limited(source, with_lease(lease));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == "one theirs two");
    CHECK(rig.told == 1);
}

TEST_CASE("a SAS that may only write: the fate of an append without an answer is said to be unknown", "[append]") {
    SasAppendRig rig("w");
    const auto lease = GENERATE(AppendLease::turns, AppendLease::none);
    const std::size_t which = GENERATE(1, 2);
    rig.faulty.on("Append Block").nth(which).drop_reply();
    ListSource source(rig.clock, {"one ", "two"});
    const auto report = rig.append_limited(source, with_lease(lease));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(rig.done("Append Block") == which);
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("a SAS that may only add appends without a lease to a blob that is there", "[append]") {
    SasAppendRig rig("a");
    ListSource source(rig.clock, {"one ", "two"});
    SECTION("it is there") {
        rig.peer_creates();
        const auto report = rig.append_limited(source, with_lease(AppendLease::none));
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == "one two");
    }
    SECTION("it is not") {
        const auto report = rig.append_limited(source, with_lease(AppendLease::none));
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::auth);
        CHECK(report.error().operation == "Put Blob");
    }
    SECTION("a lease is not permitted, and the message says how to do without") {
        rig.peer_creates();
        const auto report = rig.append_limited(source);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::auth);
        CHECK(report.error().hint.find("--no-lease") != std::string::npos);
    }
}

TEST_CASE("a SAS that may only create appends nothing, and the message says which permission is missing", "[append]") {
    SasAppendRig rig("c");
    ListSource source(rig.clock, {"one ", "two"});
    const auto lease = GENERATE(AppendLease::turns, AppendLease::none);
    const auto report = rig.append_limited(source, with_lease(lease));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::auth);
    CHECK(!report.error().may_have_applied);
    CHECK(report.error().operation == (lease == AppendLease::none ? "Append Block" : "Lease Blob"));
    CHECK(report.error().message ==
          (lease == AppendLease::none ? "the SAS permits c; this needs a or w" : "the SAS permits c; this needs w"));
    CHECK(rig.done("Append Block") == 0);
}

TEST_CASE("a SAS that may only write: the size limit holds", "[append]") {
    SasAppendRig rig("w");
    rig.peer_creates();
    rig.peer_appends("123456");
    ops::AppenderOptions options;
    options.send.max_size = 8;
    ListSource source(rig.clock, {"789"});
    const auto report = rig.append_limited(source, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "123456");
}

TEST_CASE("what cannot be done without reading still needs the permission to read: append", "[append]") {
    SasAppendRig rig("w");
    ops::AppenderOptions options;
    SECTION("rotate") {
        options.rotate = true;
    }
    SECTION("seal") {
        options.seal = true;
    }
    SECTION("a spool or --resume") {
        options.must_look = true;
    }
    SECTION("a fence") {
        options.send.fence = ops::Fence{3, "az://box/lock"};
    }
    ListSource source(rig.clock, {"one"});
    const auto report = rig.append_limited(source, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::auth);
    CHECK(rig.told == 0);
}
