// Staged blocks of another tool are dropped only if nothing else can be lost.
#include "ops/upload/discard_staged.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

const std::string kThree = noise(2 * kSmallBlock + 100);
constexpr const char* kForeign = "QUJD";  // three bytes: no id of ours has that length

ops::UploadOptions discarding() {
    ops::UploadOptions options = small_blocks();
    options.discard_staged = true;
    return options;
}

}  // namespace

TEST_CASE("committed blocks keep content, properties, metadata, tags and tier when staged ones are dropped") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    options.content.type = "text/x-odd";
    options.content.encoding = "gzip";
    options.content.language = "de";
    options.content.disposition = "inline";
    options.content.cache_control = "no-cache";
    options.metadata = {{"job", "17"}};
    options.tags = "team=red%20ones&n=1";
    options.access_tier = "Cool";
    options.put_md5 = true;
    REQUIRE(upload(rig, rig.file(kThree), options));
    const auto before = rig.us.client().get_properties(rig.blob, {}, {}).value().properties;
    rig.service.stage("box", "data", kForeign, "of another tool");
    REQUIRE(ops::discard_staged(rig.us.client(), rig.blob, {}, {}));
    CHECK(rig.view().staged_ids.empty());
    CHECK(rig.content() == kThree);
    const auto after = rig.us.client().get_properties(rig.blob, {}, {}).value().properties;
    CHECK(after.content.type == before.content.type);
    CHECK(after.content.encoding == before.content.encoding);
    CHECK(after.content.language == before.content.language);
    CHECK(after.content.disposition == before.content.disposition);
    CHECK(after.content.cache_control == before.content.cache_control);
    CHECK(after.content.md5 == before.content.md5);
    CHECK_FALSE(after.content.md5.empty());
    CHECK(after.access_tier == "Cool");
    CHECK(after.metadata.at("job") == "17");
    CHECK(rig.us.client().get_tags(rig.blob, {}, {}).value() == "team=red%20ones&n=1");
    CHECK(ring_of(rig).newest() != ops::WriteRing::read(before.metadata).newest());
}

TEST_CASE("a blob written by Put Blob keeps its bytes: its foreign staged blocks are not discarded") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.service.stage("box", "data", kForeign, "of another tool");
    const auto report = upload(rig, rig.file(kThree), discarding());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.view().staged_ids == std::vector<std::string>{kForeign});
    CHECK(rig.done("Put Block") == 0);
    CHECK(rig.done("Delete Blob") == 0);
}

TEST_CASE("where nothing is committed the uncommitted blob is deleted under a lease, and the upload goes on") {
    Rig rig;
    rig.service.stage("box", "data", kForeign, "of another tool");
    const auto report = upload(rig, rig.file(kThree), discarding());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.sent("Delete Blob").has("x-ms-lease-id"));
}

TEST_CASE("a peer who commits while we are about to discard keeps his blob") {
    Rig rig;
    rig.service.stage("box", "data", kForeign, "of another tool");
    rig.faulty.on(lease_action("acquire"), "acquire").meanwhile([&] { rig.service.put("box", "data", kOldBlob); });
    const auto discarded = ops::discard_staged(rig.us.client(), rig.blob, {}, {});
    REQUIRE(!discarded);
    CHECK(discarded.error().code == ErrorCode::precondition);
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.done("Delete Blob") == 0);
    CHECK(rig.view().lease_state != "leased");
}

TEST_CASE("a peer's commit between the look and the commit of the same blocks wins") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    rig.service.stage("box", "data", kForeign, "of another tool");
    rig.faulty.on("Put Block List").meanwhile([&] { rig.service.put("box", "data", kOldBlob); });
    const auto discarded = ops::discard_staged(rig.us.client(), rig.blob, {}, {});
    REQUIRE(!discarded);
    CHECK(discarded.error().code == ErrorCode::precondition);
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("a lost answer of either way to discard does no harm") {
    Rig rig;
    const bool committed = GENERATE(false, true);
    if (committed) REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    rig.service.stage("box", "data", kForeign, "of another tool");
    rig.faulty.on(committed ? "Put Block List" : "Delete Blob").drop_reply();
    const auto discarded = ops::discard_staged(rig.us.client(), rig.blob, {}, {});
    INFO(why(discarded));
    if (committed) REQUIRE(discarded);
    if (committed) CHECK(rig.content() == kThree);
    if (!committed) CHECK_FALSE(rig.service.peek("box", "data"));
}

TEST_CASE("our own staged blocks are dropped, and the blob keeps its content or goes on not to exist") {
    Rig rig;
    const bool committed = GENERATE(true, false);
    const std::string old = noise(2 * kSmallBlock, 3);
    if (committed) peer_uploads_blocks(rig, old);
    rig.faulty.on("Put Block List").return_status(403, "AuthorizationPermissionMismatch");
    REQUIRE(!upload(rig, rig.file(noise(3 * kSmallBlock)), small_blocks()));
    REQUIRE(rig.view().staged_ids.size() == 3);
    const auto told = ops::drop_staged(rig.us.client(), rig.blob, ops::DeleteOptions(), true, {});
    REQUIRE(told);
    CHECK(told->blocks == 3);
    CHECK(rig.view().staged_ids.size() == 3);
    const auto dropped = ops::drop_staged(rig.us.client(), rig.blob, ops::DeleteOptions(), false, {});
    INFO(why(dropped));
    REQUIRE(dropped);
    CHECK(dropped->blocks == 3);
    CHECK(dropped->bytes == 3 * kSmallBlock);
    if (committed) {
        CHECK(rig.content() == old);
        CHECK(rig.view().staged_ids.empty());
    } else {
        CHECK(!rig.service.peek("box", "data"));
    }
    const auto again = ops::drop_staged(rig.us.client(), rig.blob, ops::DeleteOptions(), false, {});
    REQUIRE(again);
    CHECK(again->blocks == 0);
}

TEST_CASE("a delete of what is staged takes a lease id and no other condition: nothing is sent") {
    Rig rig;
    ops::DeleteOptions options;
    SECTION("condition") {
        options.conditions.if_match = "e";
    }
    SECTION("fence") {
        options.fence = ops::Fence{7, "ours"};
    }
    SECTION("snapshots") {
        options.snapshots = "include";
    }
    const auto dropped = ops::drop_staged(rig.us.client(), rig.blob, options, false, {});
    REQUIRE(!dropped);
    CHECK(dropped.error().code == ErrorCode::usage);
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::test
