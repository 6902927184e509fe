// A blob is compared with a file by the cheapest proof, and a difference is reported with its place.
#include "ops/verify/verify.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using ops::Proof;

const std::string kFile = noise(4 * kSmallBlock + 100);

Result<ops::VerifyReport> verify(Rig& rig, const std::string& content, bool download = false,
                                 ops::Progress* progress = nullptr) {
    ops::VerifyOptions options;
    options.download = download;
    options.concurrency = 3;
    options.progress = progress;
    const std::string path = rig.file(content, "compared");
    return ops::verify_file(rig.us.client(), rig.blob, path, options, {});
}

std::string with_change(std::size_t at) {
    std::string out = kFile;
    out[at] ^= 1;
    return out;
}

}  // namespace

TEST_CASE("a blob in blocks of ours is compared by their ids, without a byte of content") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    options.hash = GENERATE(ops::HashKind::sha256, ops::HashKind::xxh3);
    REQUIRE(upload(rig, rig.file(kFile), options));
    rig.service.clear_log();
    const auto same = verify(rig, kFile);
    REQUIRE(same);
    CHECK(same->same);
    CHECK(same->proof == Proof::block_ids);
    CHECK(same->hash == options.hash);
    CHECK(same->etag == etag_of(rig));
    CHECK(rig.service.operations() == std::vector<std::string>{"Get Blob Properties", "Get Block List"});
}

TEST_CASE("the first block that differs is named, however many do") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    std::string changed = with_change(2 * kSmallBlock + 9);
    changed[4 * kSmallBlock] ^= 1;
    const auto report = verify(rig, changed);
    REQUIRE(report);
    CHECK_FALSE(report->same);
    REQUIRE(report->different);
    CHECK(report->different->offset == 2 * kSmallBlock);
    CHECK(report->different->length == kSmallBlock);
}

TEST_CASE("a file that is longer or shorter than the blob differs where one of them ends") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    const auto longer = verify(rig, kFile + "more");
    REQUIRE(longer);
    CHECK_FALSE(longer->same);
    CHECK(longer->different->offset == kFile.size());
    CHECK(longer->different->length == 4);
    const auto shorter = verify(rig, kFile.substr(0, kFile.size() - 1));
    REQUIRE(shorter);
    CHECK_FALSE(shorter->same);
    CHECK(shorter->different->offset == 4 * kSmallBlock);
}

TEST_CASE("a comparison counts what it has read, whatever the proof") {
    Rig rig;
    std::string content = kFile;
    std::string compared = kFile;
    bool download = false;
    SECTION("block ids") {
        REQUIRE(upload(rig, rig.file(content), small_blocks()));
    }
    SECTION("MD5, then the bytes") {
        content = "small";
        compared = "smalL";
        download = true;
        REQUIRE(upload(rig, rig.file(content), small_blocks()));
    }
    ops::Progress progress;
    REQUIRE(verify(rig, compared, download, &progress));
    CHECK(progress.total == content.size());
    CHECK(progress.sent == content.size());
    CHECK(progress.moving == 0);
}

TEST_CASE("what one Put Blob wrote is compared by its stored MD5") {
    Rig rig;
    REQUIRE(upload(rig, rig.file("small"), small_blocks()));
    CHECK(verify(rig, "small")->same);
    CHECK(verify(rig, "small")->proof == Proof::md5);
    const auto other = verify(rig, "SMALL");
    REQUIRE(other);
    CHECK_FALSE(other->same);
    CHECK(other->proof == Proof::md5);
    const auto where = verify(rig, "smalL", true);
    REQUIRE(where);
    CHECK_FALSE(where->same);
    CHECK(where->proof == Proof::content);
    CHECK(where->different->offset == 4);
    const auto longer = verify(rig, "another");
    CHECK(longer->proof == Proof::length);
    CHECK(longer->different->offset == 0);
    CHECK(longer->different->length == 7);
}

TEST_CASE("without ids and MD5 the bytes are compared, if that was asked for") {
    Rig rig;
    azure::PutBlobOptions put;
    put.blob_type = "AppendBlob";
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body({}), put, {}));
    REQUIRE(rig.peer.client().append_block(rig.blob, http::make_body(kFile), {}, {}));
    const auto no_proof = verify(rig, kFile);
    REQUIRE(!no_proof);
    CHECK(no_proof.error().code == ErrorCode::precondition);
    CHECK(no_proof.error().hint.find("--download") != std::string::npos);
    const auto same = verify(rig, kFile, true);
    INFO(why(same));
    REQUIRE(same);
    CHECK(same->same);
    CHECK(same->proof == Proof::content);
    const std::size_t at = GENERATE(0U, 5000U, 16'483U);
    const auto other = verify(rig, with_change(at), true);
    REQUIRE(other);
    CHECK(other->different->offset == at);
    CHECK(verify(rig, kFile + "x", true)->different->offset == kFile.size());
    CHECK(verify(rig, kFile.substr(0, 10), true)->different->offset == 10);
}

TEST_CASE("a blob that holds blocks of ours and others is not judged by its ids") {
    Rig rig;
    rig.service.stage("box", "data", "QUJD", "of another tool");
    azure::PutBlockListOptions commit;
    REQUIRE(rig.peer.client().put_block_list(rig.blob, {{azure::BlockSource::latest, "QUJD"}}, commit, {}));
    const auto report = verify(rig, "of another tool");
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
}

TEST_CASE("list and properties that are of two versions are not mixed") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kFile), small_blocks()));
    const std::string newer = with_change(7);
    rig.faulty.on("Get Block List").meanwhile([&] { peer_uploads_blocks(rig, newer); });
    const auto report = verify(rig, newer);
    REQUIRE(report);
    CHECK(report->same);
    CHECK(report->etag == etag_of(rig));
}

TEST_CASE("an empty file and an empty blob are the same") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(""), small_blocks()));
    CHECK(verify(rig, "")->same);
    CHECK_FALSE(verify(rig, "x")->same);
}

TEST_CASE("a blob that is missing is not found") {
    Rig rig;
    const auto report = verify(rig, "x");
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_found);
}

TEST_CASE("an empty file is what an empty blob holds, whatever wrote the blob") {
    Rig rig;
    REQUIRE(rig.peer.client().put_block_list(rig.blob, {}, {}, {}));  // it has neither blocks nor an MD5
    const bool download = GENERATE(false, true);
    const auto same = verify(rig, "", download);
    INFO(why(same));
    REQUIRE(same);
    CHECK(same->same);
    CHECK(same->proof == Proof::length);
    const auto different = verify(rig, "x", download);
    REQUIRE(different);
    CHECK(!different->same);
}

TEST_CASE("a difference is a data error that names both sides, the proof and the place") {
    ops::VerifyReport report;
    const azure::BlobAddress blob{"box", "data", {}};
    report.file_bytes = 10;
    report.blob_bytes = 12;
    report.proof = Proof::block_ids;
    report.hash = ops::HashKind::sha256;
    report.different = ops::BlockRange{4, 4};
    const auto text = [&] {
        const Status same = ops::check_same(report, blob, "file");
        REQUIRE(!same);
        CHECK(same.error().code == ErrorCode::data);
        CHECK(same.error().target == "box/data");
        return same.error().message;
    };
    CHECK(text() ==
          "is not 'file', by the sha256 of its blocks, without downloading: the file has 10 bytes, the blob 12; they "
          "differ first within bytes 4 to 7");
    report.proof = Proof::length;
    report.different = ops::BlockRange{0, 12};
    CHECK(text() ==
          "is not 'file', by its length: the file has 10 bytes, the blob 12; --download finds where they differ");
    report.proof = Proof::md5;
    CHECK(text().ends_with("their MD5 differ; --download finds where"));
    report.same = true;
    CHECK(ops::check_same(report, blob, "file"));
}

TEST_CASE("what is no regular file can be piped into an upload, and nobody is told so who verifies it") {
    Rig rig;
    const auto uploaded = upload(rig, "/dev/null", {});
    CHECK(uploaded.error().code == ErrorCode::usage);
    CHECK(uploaded.error().hint.find("azlock upload -") != std::string::npos);
    const auto verified = ops::verify_file(rig.us.client(), rig.blob, "/dev/null", {}, {});
    CHECK(verified.error().code == ErrorCode::usage);
    CHECK(verified.error().hint.find("upload") == std::string::npos);
}

}  // namespace azlock::test
