// A delete removes the blob that was meant, once, whatever happens to its answer.
#include "support/catch.hpp"
#include "unit/ops/write/deletion_rig.hpp"

namespace azlock::ops {
using std::chrono::seconds;
using test::Deletion;
using test::FaultCall;
using test::why;

TEST_CASE("a delete is one request") {
    Deletion r;
    REQUIRE(r.run());
    CHECK(r.rig.service.operations() == std::vector<std::string>{"Delete Blob"});
    CHECK(!r.rig.content());
}

TEST_CASE("a delete of nothing is not found") {
    Deletion r;
    r.rig.service.erase("box", "data");
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::not_found);
}

TEST_CASE("a delete whose answer was lost is a success") {
    Deletion r;
    const bool guarded = GENERATE(true, false);
    if (guarded) r.options.conditions.if_match = r.etag();
    SECTION("broken connection") {
        r.rig.faulty.on("Delete Blob").nth(1).drop_reply();
    }
    SECTION("no answer in time") {
        r.rig.faulty.on("Delete Blob").nth(1).stall(true);
    }
    SECTION("sent twice by the transport") {
        r.rig.faulty.on("Delete Blob").nth(1).silent_replay();
    }
    const auto removed = r.run();
    INFO(why(removed));
    CHECK(removed);
    CHECK(r.rig.done("Delete Blob") == 1);
}

TEST_CASE("a delete that was lost before it arrived is carried out once") {
    Deletion r;
    const bool guarded = GENERATE(true, false);
    if (guarded) r.options.conditions.if_match = r.etag();
    SECTION("broken connection") {
        r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    }
    SECTION("no connection") {
        r.rig.faulty.on("Delete Blob").nth(1).fail_before();
    }
    SECTION("a failing service") {
        r.rig.faulty.on("Delete Blob").nth(1).return_status(500, "InternalError");
    }
    SECTION("a busy service") {
        r.rig.faulty.on("Delete Blob").nth(1).return_status(503, "ServerBusy");
    }
    const auto removed = r.run();
    INFO(why(removed));
    CHECK(removed);
    CHECK(r.rig.done("Delete Blob") == 1);
    CHECK(!r.rig.content());
}

TEST_CASE("a blob that a peer makes again after our lost delete is not deleted") {
    Deletion r;
    const bool guarded = GENERATE(true, false);
    if (guarded) r.options.conditions.if_match = r.etag();
    r.rig.faulty.on("Delete Blob").nth(1).drop_reply();
    r.rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { r.again(); });
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::unavailable);
    CHECK(removed.error().may_have_applied);
    CHECK(!removed.error().hint.empty());
    CHECK(r.rig.content() == "new");
}

TEST_CASE("a blob that a peer makes again between our look and the repeat is not deleted") {
    Deletion r;
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    r.rig.faulty.on("Delete Blob").nth(2).meanwhile([&] { r.again(); });
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::unavailable);
    CHECK(removed.error().may_have_applied);  // the first request may have arrived in between
    CHECK(r.rig.content() == "new");
}

TEST_CASE("a repeat that was carried out, and whose blob was then made again, is no conflict") {
    Deletion r;
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    r.rig.faulty.on("Delete Blob").nth(2).with("replay", [&](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(call.request);
        r.again();
        auto answer = call.forward(call.request);
        if (answer) answer->times_sent = 2;
        return answer;
    });
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::unavailable);
    CHECK(removed.error().may_have_applied);
    CHECK(r.rig.content() == "new");
}

TEST_CASE("a repeat whose answer is lost is a success") {
    Deletion r;
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    r.rig.faulty.on("Delete Blob").nth(2).drop_reply();
    const auto removed = r.run();
    INFO(why(removed));
    CHECK(removed);
    CHECK(!r.rig.content());
}

TEST_CASE("with --if-match that version is deleted and no other") {
    Deletion r;
    r.options.conditions.if_match = r.etag();
    r.again();
    r.rig.clock.advance(seconds(60));
    SECTION("when all goes well") {}
    SECTION("when requests are lost") {
        r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    }
    SECTION("when no request gets through but the look") {
        r.rig.faulty.on("Delete Blob").nth(1, 6).lose_request();
    }
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::precondition);
    CHECK(r.rig.content() == "new");
}

TEST_CASE("conditions by date hold for the repeat of a lost delete") {
    Deletion r;
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    const std::string past = "Sat, 01 Jan 2000 00:00:00 GMT";
    const std::string future = "Fri, 01 Jan 2100 00:00:00 GMT";
    SECTION("not modified since, and it was") {
        r.options.conditions.if_unmodified_since = past;
    }
    SECTION("modified since, and it was not") {
        r.options.conditions.if_modified_since = future;
    }
    SECTION("met") {
        const bool since = GENERATE(true, false);
        if (since) {
            r.options.conditions.if_modified_since = past;
        } else {
            r.options.conditions.if_unmodified_since = future;
        }
        const auto removed = r.run();
        INFO(why(removed));
        CHECK(removed);
        CHECK(!r.rig.content());
        return;
    }
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::precondition);
    CHECK(r.rig.content() == "old");
}

TEST_CASE("the lease id goes with the delete and its repeat, and without it a leased blob is busy") {
    Deletion r;
    const auto lease =
        r.rig.peer.client().acquire_lease(r.rig.blob, -1, "0f0e0d0c-0b0a-4908-8706-050403020100", {}, {});
    REQUIRE(lease);
    const auto busy = r.run();
    REQUIRE(!busy);
    CHECK(busy.error().code == ErrorCode::busy);
    r.options.conditions.lease_id = lease->lease_id;
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    const auto removed = r.run();
    INFO(why(removed));
    CHECK(removed);
    CHECK(!r.rig.content());
}

TEST_CASE("a delete of unknown fate whose blob cannot be looked up says so") {
    Deletion r;
    r.rig.faulty.on("Delete Blob").drop_reply();
    r.rig.faulty.on("Get Blob Properties").from(1).return_status(503, "ServerBusy");
    const auto removed = r.run();
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::unavailable);
    CHECK(removed.error().may_have_applied);
    CHECK(!removed.error().hint.empty());
}

TEST_CASE("a delete that is stopped says that it was stopped") {
    Deletion r;
    std::stop_source stop;
    r.rig.faulty.on("Delete Blob").with("stop", [&](const FaultCall&) -> Result<http::Response> {
        stop.request_stop();
        Error error = make_error(ErrorCode::cancelled, "stopped");
        error.may_have_applied = true;
        return fail(error);
    });
    const auto removed = r.run({kNoDeadline, stop.get_token()});
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::cancelled);
}

TEST_CASE("a delete that is lost right after the write of the blob") {
    Deletion r;
    r.again();
    r.rig.faulty.on("Delete Blob").nth(1).lose_request();
    SECTION("is uncertain, and does not claim that somebody wrote") {
        const auto removed = r.run();
        REQUIRE(!removed);
        CHECK(removed.error().code == ErrorCode::unavailable);
        CHECK(removed.error().may_have_applied);
        CHECK(removed.error().message.find("written again") == std::string::npos);
        CHECK(r.rig.content() == "new");
    }
    SECTION("is repeated if the look before it showed that version") {
        r.options.spare_locks = true;
        const auto removed = delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {});
        INFO(why(removed));
        CHECK(removed);
        CHECK(!r.rig.content());
        CHECK(r.rig.sent("Delete Blob").has("If-Match"));
    }
    SECTION("is repeated if it names that version") {
        r.options.conditions.if_match = r.etag();
        const auto removed = r.run();
        INFO(why(removed));
        CHECK(removed);
        CHECK(!r.rig.content());
    }
}

}  // namespace azlock::ops
