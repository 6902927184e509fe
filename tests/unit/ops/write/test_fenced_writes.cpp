// Fenced uploads and deletes: whatever happens in between, nothing that a later holder wrote is replaced.
#include "ops/write/delete_blob.hpp"
#include "ops/write/fence.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

const std::string kLock = "https://acct.blob.core.windows.net/locks/deploy";
const ops::Fence kOld{1000, kLock};
const ops::Fence kOurs{2000, kLock};
const ops::Fence kNew{3000, kLock};
const std::string kSmall = "ours";
const std::string kThree = noise(2 * kSmallBlock + 100);

ops::UploadOptions with_fence(const ops::Fence& fence, ops::UploadOptions options = small_blocks()) {
    options.fence = fence;
    return options;
}

// One block, or several.
std::string some_content() {
    return GENERATE_COPY(kSmall, kThree);
}

const char* write_of(const std::string& content) {
    return content.size() > kSmallBlock ? "Put Block List" : "Put Blob";
}

bool carries(Rig& rig, const ops::Fence& fence) {
    const FakeBlobView view = rig.view();
    return ops::carries_fence({view.metadata.begin(), view.metadata.end()}, fence);
}

Status remove(Rig& rig, const ops::Fence& fence, azure::Conditions conditions = {}) {
    return ops::delete_blob(rig.us.client(), rig.blob, {std::move(conditions), "", fence}, {});
}

}  // namespace

TEST_CASE("a fenced upload replaces what has no token, an older one or its own, and leaves its own") {
    Rig rig;
    const std::string content = some_content();
    SECTION("nothing there") {}
    SECTION("no token") {
        rig.service.put("box", "data", kOldBlob);
    }
    SECTION("an older one") {
        peer_uploads(rig, kOldBlob, with_fence(kOld));
    }
    SECTION("its own") {
        peer_uploads(rig, kOldBlob, with_fence(kOurs));
    }
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(carries(rig, kOurs));
    CHECK(report->etag == etag_of(rig));
}

TEST_CASE("a fenced upload of an old holder is refused before a byte is sent") {
    Rig rig;
    const std::string content = some_content();
    peer_uploads(rig, "of the new holder", with_fence(kNew));
    const std::size_t before = rig.service.log().size();
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(!report.error().may_have_applied);
    CHECK(report.error().target == "box/data");
    CHECK(report.error().message.find("3000") != std::string::npos);
    CHECK(rig.service.log().size() == before + 1);
    CHECK(rig.content() == "of the new holder");
    CHECK(carries(rig, kNew));
}

TEST_CASE("a new holder that writes between the look and the write of an old one is not replaced") {
    Rig rig;
    const std::string content = some_content();
    const bool was_there = GENERATE(true, false);
    if (was_there) rig.service.put("box", "data", kOldBlob);
    const std::string theirs = GENERATE_COPY(std::string("of the new holder"), noise(3 * kSmallBlock, 99));
    rig.faulty.on(was_there ? write_of(content) : "Put Block List").nth(1).meanwhile([&] {
        peer_uploads(rig, theirs, with_fence(kNew));
    });
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(!report.error().may_have_applied);
    CHECK(report.error().message.find("3000") != std::string::npos);
    CHECK(rig.content() == theirs);
    CHECK(carries(rig, kNew));
}

TEST_CASE("a writer without a fence, or an older one, in between is replaced") {
    Rig rig;
    const std::string content = some_content();
    rig.service.put("box", "data", kOldBlob);
    const bool fenced = GENERATE(true, false);
    rig.faulty.on(write_of(content)).nth(1).meanwhile([&] {
        if (fenced) {
            peer_uploads(rig, "in between", with_fence(kOld));
        } else {
            rig.service.put("box", "data", "in between");
        }
    });
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(carries(rig, kOurs));
}

TEST_CASE("a fenced upload replaces every version of writers without a token, however often they come in between") {
    Rig rig;
    const std::string content = some_content();
    rig.service.put("box", "data", kOldBlob);
    int version = 0;
    SECTION("in the end") {
        rig.faulty.on(write_of(content)).nth(1, 10).meanwhile([&] {
            rig.service.put("box", "data", std::to_string(++version));
        });
        const auto report = upload(rig, rig.file(content), with_fence(kOurs));
        INFO(why(report));
        REQUIRE(report);
        CHECK(version == 10);
        CHECK(rig.content() == content);
        CHECK(carries(rig, kOurs));
    }
    SECTION("or gives up") {
        rig.faulty.on(write_of(content)).from(1).meanwhile([&] {
            rig.service.put("box", "data", std::to_string(++version));
        });
        const auto report = upload(rig, rig.file(content), with_fence(kOurs));
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::unavailable);
        CHECK(rig.content() == std::to_string(version));
    }
}

TEST_CASE("where there is no blob, a small fenced upload is a block and its commit, never a Put Blob") {
    Rig rig;
    std::string content = kSmall;
    std::vector<std::string> operations{"Get Blob Properties", "Put Block", "Put Block List"};
    SECTION("only staged blocks of a peer") {
        rig.service.stage("box", "data", ops::BlockId{}.encode(), "x");
    }
    SECTION("nothing at all") {}
    SECTION("empty content") {
        content.clear();
        operations.erase(operations.begin() + 1);
    }
    rig.service.clear_log();
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(carries(rig, kOurs));
    CHECK(rig.service.operations() == operations);
    CHECK(rig.sent("Put Block List").get("If-None-Match") == "*");
}

TEST_CASE("foreign staged blocks in the way of a small fenced upload are told, or discarded where that is asked for") {
    Rig rig;
    rig.service.stage("box", "data", "AAAA", "x");
    ops::UploadOptions options = with_fence(kOurs);
    options.discard_staged = GENERATE(false, true);
    const auto report = upload(rig, rig.file(kSmall), options);
    if (options.discard_staged) {
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == kSmall);
    } else {
        REQUIRE(!report);
        CHECK(report.error().hint.find("--discard-staged") != std::string::npos);
        CHECK(!rig.content());
    }
}

TEST_CASE("the user's own condition holds beside the fence") {
    Rig rig;
    const std::string content = some_content();
    peer_uploads(rig, kOldBlob, with_fence(kOld));
    ops::UploadOptions options = with_fence(kOurs);
    SECTION("--if-match of another version") {
        options = with_if_match(options, "\"0x1\"");
    }
    SECTION("--if-none-match '*'") {
        options = only_if_absent(options);
    }
    SECTION("--if-match of a version that is replaced meanwhile") {
        options = with_if_match(options, etag_of(rig));
        rig.faulty.on(write_of(content)).nth(1).meanwhile([&] { peer_uploads(rig, kOldBlob, with_fence(kOld)); });
    }
    const auto report = upload(rig, rig.file(content), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == kOldBlob);
    CHECK(carries(rig, kOld));
}

TEST_CASE("a condition of the user that still holds for the version in between lets a fenced upload go on") {
    Rig rig;
    const std::string content = some_content();
    rig.service.put("box", "data", kOldBlob);
    ops::UploadOptions options = with_fence(kOurs);
    options.conditions.if_none_match = "\"0x1\"";
    rig.faulty.on(write_of(content)).nth(1).meanwhile([&] { peer_uploads(rig, "in between", with_fence(kOld)); });
    const auto report = upload(rig, rig.file(content), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
}

TEST_CASE("a fenced upload of what is there already raises the token, and is skipped only under its own") {
    Rig rig;
    const std::string content = some_content();
    ops::UploadOptions options = with_fence(kOld);
    options.skip_unchanged = true;
    REQUIRE(upload(rig, rig.file(content), options));
    options.fence = kOurs;
    const auto raised = upload(rig, rig.file(content), options);
    REQUIRE(raised);
    CHECK(!raised->unchanged);
    CHECK(carries(rig, kOurs));
    const auto skipped = upload(rig, rig.file(content), options);
    REQUIRE(skipped);
    CHECK(skipped->unchanged);
    options.fence = kOld;
    const auto refused = upload(rig, rig.file(content), options);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::precondition);
}

TEST_CASE("a fenced upload whose answer was lost finds its own write") {
    Rig rig;
    const std::string content = some_content();
    if (GENERATE(true, false)) peer_uploads(rig, kOldBlob, with_fence(kOld));
    const bool there = rig.content().has_value();
    rig.faulty.on(there ? write_of(content) : "Put Block List").nth(1).drop_reply();
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(carries(rig, kOurs));
}

TEST_CASE("another lock's fence and an unreadable one are errors of their own, and nothing is written") {
    Rig rig;
    const std::string content = some_content();
    auto theirs = with_fence({1, kLock + "2"});
    ErrorCode expected = ErrorCode::usage;
    SECTION("another lock's") {}
    SECTION("unreadable") {
        theirs = small_blocks();
        theirs.metadata = {{"azl_fence", "x"}, {"azl_fence_by", kLock}};
        expected = ErrorCode::data;
    }
    peer_uploads(rig, kOldBlob, theirs);
    const auto report = upload(rig, rig.file(content), with_fence(kOurs));
    REQUIRE(!report);
    CHECK(report.error().code == expected);
    CHECK(report.error().target == "box/data");
    const auto removed = remove(rig, kOurs);
    REQUIRE(!removed);
    CHECK(removed.error().code == expected);
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("a fenced delete takes an older holder's blob, and never a later one's") {
    Rig rig;
    peer_uploads(rig, kOldBlob, with_fence(kOurs));
    const auto refused = remove(rig, kOld);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::precondition);
    CHECK(refused.error().target == "box/data");
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.service.requests("Delete Blob") == 0);
    REQUIRE(remove(rig, kNew));
    CHECK(!rig.content());
}

TEST_CASE("a new holder that writes between the look and the delete of an old one keeps its blob") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Delete Blob").nth(1).meanwhile([&] { peer_uploads(rig, "of the new holder", with_fence(kNew)); });
    const auto removed = remove(rig, kOurs);
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::precondition);
    CHECK(removed.error().message.find("3000") != std::string::npos);
    CHECK(rig.content() == "of the new holder");
}

TEST_CASE("a fenced delete goes on over versions that it may replace, three at most") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    SECTION("one") {
        rig.faulty.on("Delete Blob").nth(1).meanwhile([&] { peer_uploads(rig, "in between", with_fence(kOld)); });
        REQUIRE(remove(rig, kOurs));
        CHECK(!rig.content());
    }
    SECTION("one after the other") {
        rig.faulty.on("Delete Blob").nth(1, 3).meanwhile([&] { rig.service.put("box", "data", "again"); });
        const auto removed = remove(rig, kOurs);
        REQUIRE(!removed);
        CHECK(removed.error().code == ErrorCode::precondition);
        CHECK(rig.service.requests("Delete Blob") == 3);
    }
    SECTION("the user's condition no longer holds") {
        azure::Conditions conditions;
        conditions.if_match = etag_of(rig);
        rig.faulty.on("Delete Blob").nth(1).meanwhile([&] { rig.service.put("box", "data", "again"); });
        const auto removed = remove(rig, kOurs, conditions);
        REQUIRE(!removed);
        CHECK(removed.error().code == ErrorCode::precondition);
        CHECK(rig.content() == "again");
    }
}

TEST_CASE("a fenced delete of nothing is not found, and one whose answer was lost is a success") {
    Rig rig;
    const auto removed = remove(rig, kOurs);
    REQUIRE(!removed);
    CHECK(removed.error().code == ErrorCode::not_found);
    rig.service.put("box", "data", kOldBlob);
    rig.clock.advance(std::chrono::seconds(60));
    rig.faulty.on("Delete Blob").nth(1).drop_reply();
    const auto lost = remove(rig, kOurs);
    INFO(why(lost));
    CHECK(lost);
    CHECK(!rig.content());
}

}  // namespace azlock::test
