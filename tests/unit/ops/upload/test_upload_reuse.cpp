// What the blob has already is not sent again: resume, delta, and blocks that must not be reused.
#include <algorithm>

#include "base/crc64.hpp"
#include "ops/upload/staged_status.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using ops::BlockId;
using ops::CutKind;
using ops::HashKind;
using ops::PlanTag;

const std::string kFile = noise(6 * kSmallBlock + 100);  // seven blocks

// An upload that stops after its first `blocks` blocks.
void interrupted(Rig& rig, const std::string& content, std::size_t blocks,
                 ops::UploadOptions options = small_blocks()) {
    rig.faulty.on("Put Block").from(blocks + 1).return_status(403, "AuthorizationPermissionMismatch");
    const auto report = upload(rig, rig.file(content), options);
    if (report) throw std::runtime_error("the upload was not interrupted");
    rig.faulty.clear();
    rig.service.clear_log();
}

std::string id_of(const std::string& bytes, std::uint64_t block_size = kSmallBlock, std::uint32_t occurrence = 0) {
    BlockId id;
    id.hash = sha256(as_bytes(bytes));
    id.length = static_cast<std::uint32_t>(bytes.size());
    id.occurrence = occurrence;
    id.plan = PlanTag::make(CutKind::fixed, HashKind::sha256, block_size);
    return id.encode();
}

ops::UploadOptions adopting() {
    ops::UploadOptions options = small_blocks();
    options.block_size.reset();
    return options;
}

}  // namespace

TEST_CASE("an interrupted upload costs the blocks that were not sent, and no more") {
    Rig rig;
    const bool old_blob = GENERATE(false, true);
    if (old_blob) rig.service.put("box", "data", kOldBlob);
    interrupted(rig, kFile, 4);
    const auto report = upload(rig, rig.file(kFile), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kFile);
    CHECK(rig.done("Put Block") == 3);
    CHECK(report->blocks == 7);
    CHECK(report->reused_blocks == 4);
    CHECK(report->sent == 2 * kSmallBlock + 100);
    CHECK(report->reused() == 4 * kSmallBlock);
}

TEST_CASE("the block size of the first try is taken over, also by resume") {
    Rig rig;
    interrupted(rig, kFile, 4);
    ops::UploadOptions options = adopting();
    options.must_resume = GENERATE(false, true);
    // Larger than one default block: only then does upload look at the blob.
    const std::string longer = kFile + noise(9 * 1024 * 1024, 7);
    const auto report = upload(rig, rig.file(longer), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == longer);
    CHECK(report->reused_blocks == 4);
}

TEST_CASE("flag --fresh sends everything and asks for no list") {
    Rig rig;
    interrupted(rig, kFile, 4);
    ops::UploadOptions options = small_blocks();
    options.reuse = false;
    const auto report = upload(rig, rig.file(kFile), options);
    REQUIRE(report);
    CHECK(rig.done("Put Block") == 7);
    CHECK(rig.service.requests("Get Block List") == 0);
    CHECK(rig.content() == kFile);
}

TEST_CASE("resume with nothing staged is not found, and sends nothing") {
    Rig rig;
    const bool committed = GENERATE(false, true);
    if (committed) REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    rig.service.clear_log();
    ops::UploadOptions options = adopting();
    options.must_resume = true;
    const auto report = upload(rig, rig.file(kFile), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_found);
    CHECK(report.error().message.find("nothing is staged") != std::string::npos);
    CHECK(rig.service.requests("Put Block") == 0);
}

TEST_CASE("of a file that changed since, only the blocks that still match are reused") {
    Rig rig;
    interrupted(rig, kFile, 4);
    std::string changed = kFile;
    changed[kSmallBlock + 5] ^= 1;
    const auto report = upload(rig, rig.file(changed), small_blocks());
    REQUIRE(report);
    CHECK(report->reused_blocks == 3);
    CHECK(rig.content() == changed);
    CHECK(rig.view().staged_ids.empty());
}

TEST_CASE("over its earlier version a file costs its new blocks alone") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    rig.service.clear_log();
    std::string changed = kFile;
    changed[3 * kSmallBlock] ^= 1;
    changed += "and more";
    const auto report = upload(rig, rig.file(changed), small_blocks());
    REQUIRE(report);
    CHECK(rig.done("Put Block") == 2);
    CHECK(rig.content() == changed);
    CHECK(rig.service.operations() == std::vector<std::string>{"Get Blob Properties", "Get Block List", "Put Block",
                                                               "Put Block", "Put Block List"});
}

TEST_CASE("blocks that are moved or repeated are found wherever they are") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    const auto block = [](std::size_t n) { return kFile.substr(n * kSmallBlock, kSmallBlock); };
    const std::string moved = block(5) + block(0) + block(0) + block(2);
    rig.service.clear_log();
    const auto report = upload(rig, rig.file(moved), small_blocks());
    REQUIRE(report);
    CHECK(rig.content() == moved);
    CHECK(rig.done("Put Block") == 1);  // the second copy of block 0 has its own id
}

TEST_CASE("a staged block under our id but of another length is sent again, whatever a committed one says") {
    Rig rig;
    const bool committed_too = GENERATE(false, true);
    if (committed_too) REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    rig.service.stage("box", "data", id_of(kFile.substr(0, kSmallBlock)), "short");
    const auto report = upload(rig, rig.file(kFile), small_blocks());
    REQUIRE(report);
    CHECK(rig.content() == kFile);
    CHECK(rig.service.requests("Put Block") >= 1);
}

TEST_CASE("another hash shares no blocks, and is taken over with the plan") {
    Rig rig;
    ops::UploadOptions xxh3 = small_blocks();
    xxh3.hash = HashKind::xxh3;
    const auto first = upload(rig, rig.file(kFile), xxh3);
    REQUIRE(first);
    CHECK(first->hash == HashKind::xxh3);
    ops::UploadOptions sha = small_blocks();
    sha.hash = HashKind::sha256;
    const auto second = upload(rig, rig.file(kFile), sha);
    REQUIRE(second);
    CHECK(second->reused_blocks == 0);
    REQUIRE(upload(rig, rig.file(kFile), xxh3));
    const auto third = upload(rig, rig.file(kFile), small_blocks());
    REQUIRE(third);
    CHECK(third->reused_blocks == 7);
    CHECK(third->hash == HashKind::xxh3);
    CHECK(rig.content() == kFile);
}

TEST_CASE("an unchanged file is not written again where that was asked for") {
    Rig rig;
    const bool small = GENERATE(false, true);
    const std::string content = small ? std::string("small") : kFile;
    ops::UploadOptions options = small_blocks();
    options.skip_unchanged = true;
    REQUIRE(upload(rig, rig.file(content), options));
    const std::string etag = etag_of(rig);
    const auto again = upload(rig, rig.file(content), options);
    REQUIRE(again);
    CHECK(again->unchanged);
    CHECK(again->etag == etag);
    CHECK(etag_of(rig) == etag);
    std::string other = content;
    other[2] ^= 1;
    const auto changed = upload(rig, rig.file(other), options);
    REQUIRE(changed);
    CHECK_FALSE(changed->unchanged);
    CHECK(rig.content() == other);
}

TEST_CASE("a large blob of another tool is unchanged if its stored MD5 says so") {
    Rig rig;
    azure::PutBlobOptions put;
    put.checksum = {azure::Checksum::Kind::md5, base64_encode(md5(as_bytes(kFile)))};
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body(kFile), put, {}));
    ops::UploadOptions options = small_blocks();
    options.skip_unchanged = true;
    const auto same = upload(rig, rig.file(kFile), options);
    REQUIRE(same);
    CHECK(same->unchanged);
    CHECK(rig.service.requests("Put Block") == 0);
    std::string other = kFile;
    other[9] ^= 1;
    const auto changed = upload(rig, rig.file(other), options);
    REQUIRE(changed);
    CHECK_FALSE(changed->unchanged);
    CHECK(rig.content() == other);
}

TEST_CASE("the same blocks in another order, or fewer of them, are a change") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    ops::UploadOptions options = small_blocks();
    options.skip_unchanged = true;
    const std::string content = GENERATE(kFile.substr(kSmallBlock, kSmallBlock) + kFile.substr(0, kSmallBlock),
                                         kFile.substr(0, 3 * kSmallBlock));
    const auto report = upload(rig, rig.file(content), options);
    REQUIRE(report);
    CHECK_FALSE(report->unchanged);
    CHECK(rig.content() == content);
}

TEST_CASE("all of an empty file is there") {
    CHECK(ops::StagedStatus{}.percent() == 100);
}

TEST_CASE("what resume --status says is what an upload then saves") {
    Rig rig;
    interrupted(rig, kFile, 4);
    rig.service.stage("box", "data", id_of("not of the file"), "not of the file");
    const std::string path = rig.file(kFile.substr(0, 6 * kSmallBlock) + "another end");
    const auto status = ops::staged_status(rig.us.client(), rig.blob, path, adopting(), {});
    INFO(why(status));
    REQUIRE(status);
    CHECK(status->staged.blocks == 5);
    CHECK(status->staged.bytes == 4 * kSmallBlock + 15);
    CHECK(status->file.blocks == 7);
    CHECK(status->present.blocks == 4);
    CHECK(status->present.bytes == 4 * kSmallBlock);
    CHECK(status->percent() == Approx(100.0 * 4 * kSmallBlock / (6 * kSmallBlock + 11)));
    CHECK(rig.service.requests("Put Block") == 0);
    const auto report = upload(rig, path, small_blocks());
    REQUIRE(report);
    CHECK(report->reused() == status->present.bytes);
}

TEST_CASE("a file that changes between its hash and its sending leaves no wrong bytes under a right id") {
    Rig rig;
    const std::string path = rig.file(kFile);
    rig.faulty.on("Put Block").nth(3).meanwhile([&] {
        std::string changed = kFile;
        changed[2 * kSmallBlock + 7] ^= 1;
        rig.dir.write("source", changed);
    });
    const auto report = upload(rig, path, small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::data);
    CHECK(rig.service.requests("Put Block List") == 0);
    const std::string now = read_text_file(path);
    const auto resumed = upload(rig, path, small_blocks());
    INFO(why(resumed));
    REQUIRE(resumed);
    CHECK(rig.content() == now);
}

TEST_CASE("flag --no-overwrite leaves a blob alone that is there, and only then says so") {
    Rig rig;
    ops::UploadOptions options = only_if_absent(small_blocks());
    options.leave_existing = true;
    const std::string content = GENERATE(std::string("small"), kFile);
    SECTION("there is one") {
        rig.service.put("box", "data", kOldBlob);
        const auto report = upload(rig, rig.file(content), options);
        REQUIRE(report);
        CHECK(report->existed);
        CHECK(rig.content() == kOldBlob);
    }
    SECTION("there is none") {
        const auto report = upload(rig, rig.file(content), options);
        REQUIRE(report);
        CHECK_FALSE(report->existed);
        CHECK(rig.content() == content);
    }
}

}  // namespace azlock::test
