// A file of one block is one Put Blob with its guards, and nothing else.
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "unit/ops/upload/upload_rig.hpp"

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
    CHECK(refused.error().hint.find("azlock container create") != std::string::npos);
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

TEST_CASE("with --if-none-match '*' a small file is one request, and leaves alone what is there") {
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

TEST_CASE("with --if-none-match '*' a small file is created where only staged blocks have its name, on every service") {
    FakeOptions fake;
    fake.staged_blocks_refuse_create = GENERATE(false, true);
    Rig rig(fake);
    ops::UploadOptions options = only_if_absent({});
    options.leave_existing = GENERATE(false, true);
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{100}, std::size_t{65 * 1024});
    const bool other_length = GENERATE(false, true);
    rig.service.stage("box", "data", other_length ? "MDAx" : std::string(64, 'A'), "of an upload that was interrupted");
    const auto report = upload(rig, rig.file(noise(size)), options);
    INFO(why(report));
    if (fake.staged_blocks_refuse_create && other_length && size > 0) {
        REQUIRE(!report);
        CHECK(report.error().service_code == "InvalidBlobOrBlock");
        CHECK(report.error().hint.find("--discard-staged") != std::string::npos);
    } else {
        REQUIRE(report);
        CHECK(!report->existed);
        CHECK(rig.content() == noise(size));
    }
}

TEST_CASE("with --if-none-match '*' a body that costs more than a look is not sent to a blob that exists") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    ops::UploadOptions options = only_if_absent({});
    options.leave_existing = GENERATE(false, true);
    const auto report = upload(rig, rig.file(noise(65 * 1024)), options);
    CHECK(report.has_value() == options.leave_existing);
    if (!report) CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.service.requests("Put Blob") == 0);
    rig.service.erase("box", "data");
    rig.service.clear_log();
    REQUIRE(upload(rig, rig.file(noise(65 * 1024)), options));
    CHECK(rig.service.operations() == Names{"Get Blob Properties", "Put Blob"});
    CHECK(rig.sent("Put Blob").get("If-None-Match") == "*");
}

TEST_CASE("with --if-match a small file is written over that version and over no other") {
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
    rig.clock.advance(std::chrono::seconds(10));
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

TEST_CASE("metadata that leaves no room for what azlock adds is refused before anything is sent") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    const std::string content = GENERATE(std::string(kNew), noise(3 * kSmallBlock));
    options.metadata = {{"m", std::string(8'185, 'x')}};
    const auto report = upload(rig, rig.file(content), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::usage);
    CHECK(report.error().message.find("8186 bytes and 22 ") != std::string::npos);
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a content header that is not ASCII is refused before anything is sent") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    options.content.disposition =
        "attachment; filename=\"gr\xC3\xBC\xC3\x9F"
        "e.txt\"";
    const auto report = upload(rig, rig.file(kNew), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::usage);
    CHECK(report.error().message.find("x-ms-blob-content-disposition") != std::string::npos);
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::test
