// A Put Blob whose answer is lost, or that arrives late: it is written once, and never over what came after it.
#include "http/transport_error.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

constexpr const char* kNew = "the new content";

}  // namespace

TEST_CASE("a Put Blob whose answer was lost is looked up, not repeated") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Put Blob").drop_reply();
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.service.operations() == Names{"Put Blob", "Get Blob Properties"});
    CHECK(rig.content() == kNew);
    CHECK(report->recognised);
    CHECK(report->etag == etag_of(rig));
}

TEST_CASE("a Put Blob that was lost before it arrived is repeated once, only over what was seen") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1).lose_request();
    std::string condition;
    SECTION("where nothing is") {
        condition = "If-None-Match";
    }
    SECTION("over an old version") {
        rig.service.put("box", "data", kOldBlob);
        rig.clock.advance(seconds(10));
        condition = "If-Match";
    }
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kNew);
    CHECK(rig.service.operations() == Names{"Get Blob Properties", "Put Blob"});
    CHECK(rig.sent("Put Blob").has(condition));
    CHECK(!report->recognised);
}

TEST_CASE("a Put Blob that never left is simply sent again") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1, 3).fail_before();
    REQUIRE(upload(rig, rig.file(kNew), {}));
    CHECK(rig.service.operations() == Names{"Put Blob"});
    CHECK(rig.clock.waits().size() == 3);
}

TEST_CASE("a Put Blob that the service may have dropped half way is looked up before it is repeated") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1).return_status(500, "InternalError");
    REQUIRE(upload(rig, rig.file(kNew), {}));
    CHECK(rig.service.operations() == Names{"Get Blob Properties", "Put Blob"});
    CHECK(rig.content() == kNew);
}

TEST_CASE("a peer's newer version, made on top of ours, is left alone after a lost answer") {
    Rig rig;
    const std::string newer = noise(3 * kSmallBlock);
    rig.faulty.on("Put Blob").drop_reply();
    rig.faulty.on("Get Blob Properties").meanwhile([&] { peer_uploads_blocks(rig, newer); });
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == newer);
    CHECK(report->recognised);
    CHECK(report->etag.empty());  // the blob's ETag is not that of our version
    CHECK(rig.done("Put Blob") == 1);
}

TEST_CASE("an upload without a condition whose answer was lost is never sent over what may have replaced it") {
    Rig rig;
    const bool large = GENERATE(false, true);
    const std::string text = large ? noise(3 * kSmallBlock) : kNew;
    const char* write = large ? "Put Block List" : "Put Blob";
    std::function<void()> peer = [&] { peer_uploads(rig, "of a peer", {}); };
    seconds later{10};
    bool known = true;
    SECTION("a later azlock that set no condition has replaced it: that is a success") {}
    SECTION("another tool has written the blob: nobody can tell in which order") {
        peer = [&] { rig.service.put("box", "data", "of a peer"); };
        known = false;
    }
    SECTION("an azlock that demanded a missing blob has made it: nobody can tell whether ours was there before") {
        peer = [&] {
            rig.service.erase("box", "data");
            peer_uploads(rig, "of a peer", only_if_absent({}));
        };
        known = false;
    }
    SECTION("the other version may be older than our first request, as dates count whole seconds") {
        later = seconds(0);
        known = large;  // an upload of blocks has looked
    }
    rig.faulty.on(write).nth(1).with("lost, and replaced", [&](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(call.request);
        rig.clock.advance(later);
        peer();
        Error error = http::transport_error(TransportFault::reset, "lost");
        error.may_have_applied = true;
        return fail(error);
    });
    const auto report = upload(rig, rig.file(text), large ? small_blocks() : ops::UploadOptions{});
    INFO(why(report));
    CHECK(rig.content() == "of a peer");
    CHECK(report.has_value() == known);
    if (report) {
        CHECK(report->recognised);
        CHECK(report->etag.empty());
    } else {
        CHECK(report.error().code == ErrorCode::unavailable);
        CHECK(report.error().may_have_applied);
    }
}

TEST_CASE("with --if-none-match '*' a blob is not made again after somebody has deleted it") {
    Rig rig;
    ops::UploadOptions options = only_if_absent({});
    rig.faulty.on("Put Blob").nth(1).drop_reply();
    rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { rig.service.erase("box", "data"); });
    const auto report = upload(rig, rig.file(kNew), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(!rig.content());
    CHECK(rig.faulty.requests("Put Blob") == 1);
}

TEST_CASE("a Put Blob that arrives late cannot make us write over what a peer put on top of it") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.clock.advance(seconds(10));
    const std::string newer = noise(3 * kSmallBlock);
    // Ours arrives after we looked and found the old version; then the peer writes; then comes our second request.
    rig.faulty.on("Put Blob").nth(1).arrive_late(operation("Get Blob Properties"));
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { peer_uploads_blocks(rig, newer); });
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == newer);
    CHECK(report->recognised);
    CHECK(report->etag.empty());
}

TEST_CASE("a guarded Put Blob whose answer was lost is recognised as ours, not taken for a conflict") {
    Rig rig;
    ops::UploadOptions options;
    SECTION("new blob, answer lost") {
        options = only_if_absent({});
        rig.faulty.on("Put Blob").drop_reply();
    }
    SECTION("new blob, sent twice by the transport") {
        options = only_if_absent({});
        rig.faulty.on("Put Blob").silent_replay();
    }
    SECTION("over a version, answer lost") {
        rig.service.put("box", "data", kOldBlob);
        options = with_if_match({}, etag_of(rig));
        rig.faulty.on("Put Blob").drop_reply();
    }
    SECTION("over a version, sent twice by the transport") {
        rig.service.put("box", "data", kOldBlob);
        options = with_if_match({}, etag_of(rig));
        rig.faulty.on("Put Blob").silent_replay();
    }
    const auto report = upload(rig, rig.file(kNew), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->recognised);
    CHECK(report->etag == etag_of(rig));
    CHECK(rig.content() == kNew);
    CHECK(rig.done("Put Blob") == 1);
}

TEST_CASE("a guarded Put Blob that arrives late does not come over a newer version") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Put Blob").nth(1).arrive_late(operation("Put Blob"));
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { peer_uploads_blocks(rig, noise(2 * kSmallBlock)); });
    const auto report = upload(rig, rig.file(kNew), with_if_match({}, etag_of(rig)));
    REQUIRE(!report);
    CHECK(rig.content() == noise(2 * kSmallBlock));
    CHECK(rig.done("Put Blob") == 0);
}

TEST_CASE("a Put Blob of unknown fate whose blob cannot be looked up says so and tells what to do") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Put Blob").drop_reply();
    rig.faulty.on("Get Blob Properties").from(1).return_status(503, "ServerBusy");
    const auto report = upload(rig, rig.file(kNew), {});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(!report.error().hint.empty());
    CHECK(rig.done("Put Blob") == 1);
}

TEST_CASE("a lost Put Blob into a container that is not there was not carried out") {
    Rig rig;
    rig.blob.container = "fresh";
    rig.faulty.on("Put Blob").nth(1).lose_request();
    SECTION("and is an error without --create-container") {
        const auto report = upload(rig, rig.file(kNew), {});
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::not_found);
        CHECK(report.error().service_code == "ContainerNotFound");
    }
    SECTION("and is done after all with it") {
        ops::UploadOptions options;
        options.create_container = true;
        const auto report = upload(rig, rig.file(kNew), options);
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.service.content("fresh", "data") == kNew);
    }
}

TEST_CASE("a small upload that is stopped says that it was stopped") {
    Rig rig;
    std::stop_source stop;
    rig.faulty.on("Put Blob").with("stop", [&](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(call.request);
        stop.request_stop();
        Error error = make_error(ErrorCode::cancelled, "stopped");
        error.may_have_applied = true;
        return fail(error);
    });
    ops::UploadOptions options;
    SECTION("without a condition") {}
    SECTION("with a condition") {
        options = only_if_absent({});
    }
    const auto report = upload(rig, rig.file(kNew), options, {kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(report.error().may_have_applied);
    CHECK(rig.done("Put Blob") == 1);
}

TEST_CASE("a blob that existed before an upload to a new name explains its lost answer") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.clock.advance(std::chrono::minutes(1));
    rig.faulty.on("Put Blob").lose_request();
    ops::UploadOptions options = only_if_absent({});
    SECTION("--if-none-match '*': it exists") {
        const auto report = upload(rig, rig.file(kNew), options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(!report.error().may_have_applied);
    }
    SECTION("--no-overwrite: it may stay") {
        options.leave_existing = true;
        const auto report = upload(rig, rig.file(kNew), options);
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->existed);
    }
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("with --no-overwrite a blob that is there is a success, even if nobody can say who wrote it") {
    Rig rig;
    ops::UploadOptions options = only_if_absent({});
    options.leave_existing = true;
    rig.faulty.on("Put Blob").drop_reply();
    rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { rig.service.put("box", "data", "of a peer"); });
    const auto report = upload(rig, rig.file(kNew), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->existed);
    CHECK(rig.content() == "of a peer");
}

TEST_CASE("an upload that ends while it stages has surely changed nothing, also if the answer to a block was lost") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Put Block").from(2).drop_reply();
    const auto report = upload(rig, rig.file(noise(5 * kSmallBlock)), small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK_FALSE(report.error().may_have_applied);
    CHECK(rig.content() == kOldBlob);
}

}  // namespace azlock::test
