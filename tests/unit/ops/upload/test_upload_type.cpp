// An append or page blob is not replaced by the way: the same rule for files of every size.
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using Names = std::vector<std::string>;

void make_append_blob(Rig& rig) {
    azure::PutBlobOptions put;
    put.blob_type = "AppendBlob";
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body(""), put, {}));
    rig.service.clear_log();
}

// One block, or several.
std::string some_content() {
    return GENERATE(noise(100), noise(2 * kSmallBlock + 100));
}

}  // namespace

TEST_CASE("a blob of another type is refused, and the error names the flag that replaces it") {
    Rig rig;
    const std::string content = some_content();
    make_append_blob(rig);
    ops::UploadOptions options = small_blocks();
    std::string sent = content.size() > kSmallBlock ? "Get Blob Properties" : "Put Blob";
    SECTION("without a condition") {}
    SECTION("with a condition") {
        options = with_if_match(options, etag_of(rig));
        sent = "Get Blob Properties";
    }
    SECTION("if it is not unchanged") {
        options.skip_unchanged = true;
        sent = "Get Blob Properties";
    }
    const auto report = upload(rig, rig.file(content), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(report.error().hint.find("--replace-type") != std::string::npos);
    CHECK(rig.service.operations() == Names{sent});
    CHECK(rig.view().append);
}

TEST_CASE("with --replace-type a blob of another type is deleted, that version only, and the file takes its place") {
    Rig rig;
    const std::string content = some_content();
    make_append_blob(rig);
    const std::string etag = etag_of(rig);
    ops::UploadOptions options = small_blocks();
    options.replace_type = true;
    SECTION("without a condition") {}
    SECTION("with a condition that it meets") {
        options = with_if_match(options, etag);
    }
    const auto report = upload(rig, rig.file(content), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(!rig.view().append);
    CHECK(rig.sent("Delete Blob").get("If-Match") == etag);
}

TEST_CASE("the flag --replace-type leaves a block blob to the upload, and a leased blob to its holder") {
    Rig rig;
    const std::string content = some_content();
    ops::UploadOptions options = small_blocks();
    options.replace_type = true;
    SECTION("a block blob") {
        rig.service.put("box", "data", kOldBlob);
        REQUIRE(upload(rig, rig.file(content), options));
        CHECK(rig.content() == content);
        CHECK(rig.service.requests("Delete Blob") == 0);
    }
    SECTION("a lease") {
        make_append_blob(rig);
        const auto lease = rig.peer.client().acquire_lease(rig.blob, -1, {}, {}, {}).value().lease_id;
        const auto busy = upload(rig, rig.file(content), options);
        REQUIRE(!busy);
        CHECK(busy.error().code == ErrorCode::busy);
        options.conditions.lease_id = lease;
        const auto held = upload(rig, rig.file(content), options);
        REQUIRE(!held);
        CHECK(held.error().code == ErrorCode::usage);
        CHECK(rig.view().append);
    }
}

}  // namespace azlock::test
