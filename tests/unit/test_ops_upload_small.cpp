// A file of one block is one Put Blob, and it is written once whatever becomes of the answer.
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "unit/upload_rig.hpp"

namespace azlock::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kNew = "the new content";

std::string md5_text(const std::string& content) {
    return base64_encode(md5(as_bytes(content)));
}

}  // namespace

TEST_CASE("a small file is exactly one request, which carries its MD5 and a write id") {
    Rig rig;
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.service.operations() == Names{"Put Blob"});
    CHECK(rig.content() == kNew);
    CHECK(rig.sent("Put Blob").get("Content-MD5") == md5_text(kNew));
    CHECK(!rig.sent("Put Blob").has("If-Match"));
    CHECK(!rig.sent("Put Blob").has("If-None-Match"));
    CHECK(ring_of(rig).newest());
    CHECK(report->etag == etag_of(rig));
    CHECK(report->bytes == 15);
    CHECK(report->blocks == 0);
    CHECK(!report->recognised);
}

TEST_CASE("a file of exactly one block is one request, and one byte more is not") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(noise(kSmallBlock)), small_blocks()));
    CHECK(rig.service.operations() == Names{"Put Blob"});
    rig.service.clear_log();
    REQUIRE(upload(rig, rig.file(noise(kSmallBlock + 1)), small_blocks()));
    CHECK(rig.service.requests("Put Blob") == 0);
    CHECK(rig.service.requests("Put Block") == 2);
}

TEST_CASE("an empty file makes an empty blob") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const auto report = upload(rig, rig.file(""), {});
    REQUIRE(report);
    CHECK(rig.service.operations() == Names{"Put Blob"});
    CHECK(rig.content() == "");
    CHECK(rig.sent("Put Blob").get("Content-MD5") == "1B2M2Y8AsgTpgAmY7PhCfg==");
}

TEST_CASE("content headers, metadata, tags and tier go with a small file") {
    Rig rig;
    ops::UploadOptions options;
    options.content.type = "text/plain";
    options.content.cache_control = "no-cache";
    options.metadata = {{"colour", "red"}};
    options.tags = "k=v";
    options.access_tier = "Cool";
    REQUIRE(upload(rig, rig.file(kNew), options));
    CHECK(rig.view().properties.content_type == "text/plain");
    CHECK(rig.view().properties.cache_control == "no-cache");
    CHECK(rig.view().metadata.at("colour") == "red");
    CHECK(rig.sent("Put Blob").get("x-ms-tags") == "k=v");
    CHECK(rig.sent("Put Blob").get("x-ms-access-tier") == "Cool");
}

TEST_CASE("a missing container is an error that tells the way out, or is created when that was asked for") {
    Rig rig;
    rig.blob.container = "fresh";
    const auto refused = upload(rig, rig.file(kNew), {});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::not_found);
    CHECK(refused.error().hint.find("--create-container") != std::string::npos);
    rig.service.clear_log();
    ops::UploadOptions options;
    options.create_container = true;
    REQUIRE(upload(rig, rig.file(kNew), options));
    CHECK(rig.service.operations() == Names{"Put Blob", "Create Container", "Put Blob"});
    CHECK(rig.service.content("fresh", "data") == kNew);
}

TEST_CASE("a container that somebody else creates first is as good as ours") {
    Rig rig;
    rig.blob.container = "fresh";
    rig.faulty.on("Create Container").meanwhile([&] { rig.service.make_container("fresh"); });
    ops::UploadOptions options;
    options.create_container = true;
    REQUIRE(upload(rig, rig.file(kNew), options));
    CHECK(rig.service.content("fresh", "data") == kNew);
}

TEST_CASE("--if-none-match '*' writes a small file where nothing is, in one request, and leaves alone what is there") {
    Rig rig;
    const auto report = upload(rig, rig.file(kNew), only_if_absent({}));
    REQUIRE(report);
    CHECK(rig.service.operations() == Names{"Put Blob"});
    CHECK(rig.sent("Put Blob").get("If-None-Match") == "*");
    const auto again = upload(rig, rig.file("other"), only_if_absent({}));
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::precondition);
    CHECK(again.error().service_code == "BlobAlreadyExists");
    CHECK(rig.content() == kNew);
}

TEST_CASE("--if-match writes a small file over that version and over no other") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string etag = etag_of(rig);
    REQUIRE(upload(rig, rig.file(kNew), with_if_match({}, etag)));
    CHECK(rig.sent("Put Blob").get("If-Match") == etag);
    CHECK(rig.content() == kNew);
    const auto stale = upload(rig, rig.file("other"), with_if_match({}, etag));
    REQUIRE(!stale);
    CHECK(stale.error().code == ErrorCode::precondition);
    CHECK(rig.content() == kNew);
    rig.service.erase("box", "data");
    const auto gone = upload(rig, rig.file("other"), with_if_match({}, etag));
    REQUIRE(!gone);
    CHECK(gone.error().code == ErrorCode::precondition);
    CHECK(!rig.content());
}

TEST_CASE("a condition that held when we looked is held by the write itself") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string etag = etag_of(rig);
    rig.faulty.on("Put Blob").meanwhile([&] { rig.service.put("box", "data", "of a peer"); });
    const auto report = upload(rig, rig.file(kNew), with_if_match({}, etag));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(!report.error().may_have_applied);
    CHECK(rig.content() == "of a peer");
}

TEST_CASE("dates and other ETags as conditions are evaluated by the service and pinned by the write") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string etag = etag_of(rig);
    ops::UploadOptions options;
    SECTION("not the version that must not be there") {
        options.conditions.if_none_match = etag;
        const auto report = upload(rig, rig.file(kNew), options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.content() == kOldBlob);
    }
    SECTION("modified since") {
        options.conditions.if_modified_since = "Fri, 01 Jan 2100 00:00:00 GMT";
        const auto report = upload(rig, rig.file(kNew), options);
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.content() == kOldBlob);
    }
    SECTION("unmodified since") {
        options.conditions.if_unmodified_since = "Fri, 01 Jan 2100 00:00:00 GMT";
        REQUIRE(upload(rig, rig.file(kNew), options));
        CHECK(rig.sent("Put Blob").get("If-Match") == etag);
        CHECK(rig.content() == kNew);
    }
}

TEST_CASE("the lease id is on every write of a small file, and without it a leased blob is busy") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const auto lease = rig.peer.client().acquire_lease(rig.blob, -1, "0f0e0d0c-0b0a-4908-8706-050403020100", {}, {});
    REQUIRE(lease);
    const auto busy = upload(rig, rig.file(kNew), {});
    REQUIRE(!busy);
    CHECK(busy.error().code == ErrorCode::busy);
    CHECK(rig.content() == kOldBlob);
    rig.service.clear_log();
    ops::UploadOptions options;
    options.conditions.lease_id = lease->lease_id;
    rig.faulty.on("Put Blob").lose_request();
    REQUIRE(upload(rig, rig.file(kNew), options));
    CHECK(rig.content() == kNew);
    for (const LoggedRequest& line : rig.service.log()) {
        if (line.operation == "Put Blob") CHECK(line.headers.get("x-ms-lease-id") == lease->lease_id);
    }
}

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
    CHECK(report->etag.empty());  // the ETag there is not of our version
    CHECK(rig.done("Put Blob") == 1);
}

TEST_CASE(
    "where the ring was wiped after a lost answer, the last writer is the one that still runs, over what it saw") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1).drop_reply();
    rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { rig.service.put("box", "data", "of a peer"); });
    std::string seen;
    rig.faulty.on("Put Blob").nth(2).meanwhile([&] { seen = etag_of(rig); });
    const auto report = upload(rig, rig.file(kNew), {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kNew);
    CHECK(rig.sent("Put Blob", 2).get("If-Match") == seen);
}

TEST_CASE("a Put Blob that arrives late cannot make us write over what a peer put on top of it") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string newer = noise(3 * kSmallBlock);
    // Ours arrives after we looked and found the old version; then the peer writes; then comes our second try.
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

}  // namespace azlock::test
