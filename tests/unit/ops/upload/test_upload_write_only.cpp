// A credential that may write and not read: nothing is reused, and what the write itself can promise still holds.
#include "unit/ops/upload/upload_rig.hpp"
#include "unit/sas_actor.hpp"

namespace azlock::test {
namespace {

using Names = std::vector<std::string>;

const std::string kThree = noise(2 * kSmallBlock + 100);

struct SasRig : Rig {
    explicit SasRig(const std::string& permissions)
        : Rig(taking_sas(permissions)), limited(faulty, clock, permissions) {}

    Result<ops::UploadReport> upload_limited(const std::string& text, const ops::UploadOptions& options,
                                             const azure::Call& call = {}) {
        ops::ConcurrencyLimit concurrency(options.concurrency);
        return ops::upload_file(limited.client(), blob, file(text), options, {concurrency, {}}, call);
    }

    SasActor limited;
};

}  // namespace

TEST_CASE("a SAS that may only write uploads a file of several blocks") {
    SasRig rig("w");
    SECTION("a new one") {}
    SECTION("over an old one") {
        rig.service.put("box", "data", kOldBlob);
    }
    const auto report = rig.upload_limited(kThree, small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.service.operations() ==
          Names{"Get Blob Properties", "Put Block", "Put Block", "Put Block", "Put Block List"});
    CHECK(rig.content() == kThree);
    CHECK(report->unseen);
    CHECK(report->sent == kThree.size());
    CHECK(report->etag == etag_of(rig));
}

TEST_CASE("a SAS that may only write: the wish to leave what is the same does not hinder the upload") {
    SasRig rig("w");
    ops::UploadOptions options = small_blocks();
    options.skip_unchanged = true;
    const std::string text = GENERATE(std::string("small"), kThree);
    for (int i = 0; i < 2; ++i) {
        const auto report = rig.upload_limited(text, options);
        INFO(why(report));
        REQUIRE(report);
        CHECK(!report->unchanged);
        CHECK(report->unseen);
        CHECK(rig.content() == text);
    }
}

TEST_CASE("a SAS that may only write: the user's condition goes with the write") {
    SasRig rig("w");
    rig.service.put("box", "data", kOldBlob);
    const std::string text = GENERATE(std::string("small"), kThree);
    SECTION("the ETag that it has") {
        const auto report = rig.upload_limited(text, with_if_match(small_blocks(), etag_of(rig)));
        INFO(why(report));
        CHECK(report);
        CHECK(rig.content() == text);
    }
    SECTION("another ETag") {
        const auto report = rig.upload_limited(text, with_if_match(small_blocks(), "\"0x1\""));
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(!report.error().may_have_applied);
        CHECK(rig.content() == kOldBlob);
    }
    SECTION("it must not exist") {
        const auto report = rig.upload_limited(text, only_if_absent(small_blocks()));
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(rig.content() == kOldBlob);
    }
}

TEST_CASE("a SAS that may only write: a lost answer is said to be unknown, and the write is not sent again") {
    SasRig rig("w");
    ops::UploadOptions options = small_blocks();
    const std::string text = GENERATE(std::string("small"), kThree);
    const std::string commit = text == kThree ? "Put Block List" : "Put Blob";
    SECTION("without a condition") {}
    SECTION("with one") {
        rig.service.put("box", "data", kOldBlob);
        options = with_if_match(options, etag_of(rig));
    }
    rig.faulty.on(commit).drop_reply();
    const auto report = rig.upload_limited(text, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(rig.done(commit) == 1);
    CHECK(rig.content() == text);
}

TEST_CASE("a SAS that may only write: blocks that another commit has dropped are sent again") {
    SasRig rig("w");
    rig.faulty.on("Put Block List").meanwhile([&] { peer_uploads_blocks(rig, noise(3 * kSmallBlock, 7)); });
    const auto report = rig.upload_limited(kThree, small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
}

TEST_CASE("what cannot be done without reading still needs the permission to read") {
    SasRig rig("w");
    ops::UploadOptions options = small_blocks();
    SECTION("a fence") {
        options.fence = ops::Fence{3, "az://box/lock"};
    }
    SECTION("resume") {
        options.must_resume = true;
    }
    SECTION("blocks are to be dropped") {
        options.discard_staged = true;
    }
    SECTION("another type is to be replaced") {
        options.replace_type = true;
    }
    SECTION("a date") {
        options.conditions.if_unmodified_since = "Sun, 22 Nov 2026 08:00:00 GMT";
    }
    const auto report = rig.upload_limited(kThree, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::auth);
    CHECK(rig.done("Put Block") == 0);
}

TEST_CASE("a SAS that may only create: one request is enough for a file of one block, and more are not permitted") {
    SasRig rig("c");
    SECTION("one block") {
        const auto report = rig.upload_limited("small", small_blocks());
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == "small");
    }
    SECTION("several blocks") {
        const auto report = rig.upload_limited(kThree, small_blocks());
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::auth);
        CHECK(report.error().operation == "Put Block");
        CHECK(report.error().hint.find("--block-size") != std::string::npos);
    }
}

TEST_CASE("a SAS that may only write: with --no-overwrite a blob that the service says is there is a success") {
    SasRig rig("w");
    rig.service.put("box", "data", kOldBlob);
    const std::string text = GENERATE(std::string("small"), kThree);
    ops::UploadOptions options = only_if_absent(small_blocks());
    options.leave_existing = true;
    const auto report = rig.upload_limited(text, options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->existed);
    CHECK(report->etag.empty());
    CHECK(rig.content() == kOldBlob);
}

}  // namespace azlock::test
