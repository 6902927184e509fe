// A file of several blocks: one look, the blocks, one conditional commit; the blob is whole after any single fault.
#include <atomic>
#include <set>

#include "ops/write/block_id.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using Names = std::vector<std::string>;

const std::string kThree = noise(2 * kSmallBlock + 100);
constexpr std::size_t kRequests = 6;  // a look, a listing, three blocks, a commit

std::string ring_text(std::uint64_t first, std::uint64_t last) {
    ops::WriteRing ring;
    for (std::uint64_t id = first; id <= last; ++id) ring.add(id);
    azure::Metadata metadata;
    ring.write(metadata);
    return metadata.at(ops::kWriteRingName);
}

// A blob that another azlock wrote, with these ids in its ring.
void put_with_ring(Rig& rig, std::uint64_t first, std::uint64_t last) {
    azure::PutBlobOptions put;
    put.metadata[ops::kWriteRingName] = ring_text(first, last);
    if (!rig.peer.client().put_blob(rig.blob, http::make_body(kOldBlob), put, {})) throw std::runtime_error("put");
    rig.service.clear_log();
}

}  // namespace

TEST_CASE("a file of several blocks is a look, a listing, its blocks and one commit") {
    Rig rig;
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.service.operations() ==
          Names{"Get Blob Properties", "Get Block List", "Put Block", "Put Block", "Put Block", "Put Block List"});
    CHECK(rig.content() == kThree);
    CHECK(report->bytes == kThree.size());
    CHECK(report->blocks == 3);
    CHECK(report->etag == etag_of(rig));
    CHECK(rig.view().staged_ids.empty());
    check_nothing_lost(rig, 3);
}

TEST_CASE("every block goes with the CRC64 of its bytes and an id of ours that names them") {
    Rig rig;
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    for (std::size_t n = 1; n <= 3; ++n) {
        CHECK(rig.sent("Put Block", n).has("x-ms-content-crc64"));
        CHECK(!rig.sent("Put Block", n).has("Content-MD5"));
    }
    const auto ids = rig.view().committed_ids;
    REQUIRE(ids.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto id = ops::BlockId::decode(ids[i]);
        REQUIRE(id);
        const std::string bytes = kThree.substr(i * kSmallBlock, kSmallBlock);
        CHECK(id->hash == sha256(as_bytes(bytes)));
        CHECK(id->length == bytes.size());
        CHECK(id->occurrence == 0);
        CHECK(id->plan == ops::PlanTag::make(ops::CutKind::fixed, ops::HashKind::sha256, kSmallBlock));
    }
}

TEST_CASE("the commit replaces the version that was seen, or nothing") {
    Rig rig;
    SECTION("nothing") {
        REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
        CHECK(rig.sent("Put Block List").get("If-None-Match") == "*");
        CHECK(!rig.sent("Put Block List").has("If-Match"));
    }
    SECTION("a version") {
        rig.service.put("box", "data", kOldBlob);
        const std::string etag = etag_of(rig);
        REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
        CHECK(rig.sent("Put Block List").get("If-Match") == etag);
        CHECK(!rig.sent("Put Block List").has("If-None-Match"));
    }
}

TEST_CASE("the commit carries the write ids of the version before, ours the newest") {
    Rig rig;
    put_with_ring(rig, 1, 2);
    ops::UploadOptions options = small_blocks();
    options.metadata = {{"colour", "red"}};
    REQUIRE(upload(rig, rig.file(kThree), options));
    const auto ring = ring_of(rig);
    CHECK(ring.contains(1));
    CHECK(ring.contains(2));
    CHECK(ring.newest() != 2);
    CHECK(rig.view().metadata.at("colour") == "red");
}

TEST_CASE("the ring in the blob does not grow past 128 ids") {
    Rig rig;
    put_with_ring(rig, 1, 128);
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    const auto ring = ring_of(rig);
    CHECK(!ring.contains(1));
    CHECK(ring.contains(2));
    CHECK(ring.contains(128));
    CHECK(rig.view().metadata.at("azl_writes").size() == ring_text(1, 128).size());
}

TEST_CASE("blocks sent in parallel come together in the file's order") {
    Rig rig;
    const std::string content = noise(40 * kSmallBlock + 1);
    REQUIRE(upload(rig, rig.file(content), small_blocks(4)));
    CHECK(rig.content() == content);
    CHECK(rig.service.requests("Put Block") == 41);
    check_nothing_lost(rig, 41);
}

TEST_CASE("blocks of the same bytes get ids of their own, and the content is right") {
    Rig rig;
    const std::string a(kSmallBlock, 'a');
    const std::string b(kSmallBlock, 'b');
    const std::string content = a + b + a + a + b + a.substr(0, 10);
    REQUIRE(upload(rig, rig.file(content), small_blocks(GENERATE(1U, 4U))));
    CHECK(rig.content() == content);
    std::multiset<std::uint32_t> occurrences;
    std::set<std::string> distinct;
    for (const std::string& id : rig.view().committed_ids) {
        distinct.insert(id);
        occurrences.insert(ops::BlockId::decode(id)->occurrence);
    }
    CHECK(distinct.size() == 6);
    CHECK(occurrences == std::multiset<std::uint32_t>{0, 0, 0, 1, 1, 2});
}

TEST_CASE("any one request may be lost before it arrives") {
    const std::size_t n = GENERATE(range<std::size_t>(1, kRequests + 1));
    CAPTURE(n);
    Rig rig;
    const bool fresh = GENERATE(true, false);
    if (!fresh) rig.service.put("box", "data", kOldBlob);
    auto& rule = rig.faulty.on(any_request()).nth(n);
    SECTION("the connection fails") {
        rule.fail_before();
    }
    SECTION("the connection breaks") {
        rule.lose_request();
    }
    SECTION("the service is busy") {
        rule.return_status(503, "ServerBusy", std::chrono::seconds(1));
    }
    SECTION("the service fails") {
        rule.return_status(500, "InternalError");
    }
    SECTION("the service is silent") {
        rule.stall(false);
    }
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.done("Put Block List") == 1);
    CHECK(rig.done("Put Block") == 3);
    CHECK(report->etag == etag_of(rig));
    check_nothing_lost(rig, 3);
}

TEST_CASE("any one answer may be lost after the request was carried out") {
    const std::size_t n = GENERATE(range<std::size_t>(1, kRequests + 1));
    CAPTURE(n);
    Rig rig;
    const bool fresh = GENERATE(true, false);
    if (!fresh) rig.service.put("box", "data", kOldBlob);
    auto& rule = rig.faulty.on(any_request()).nth(n);
    SECTION("the connection breaks") {
        rule.drop_reply();
    }
    SECTION("the answer does not come in time") {
        rule.stall(true);
    }
    SECTION("the transport sent it twice") {
        rule.silent_replay();
    }
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.done("Put Block List") == 1);
    CHECK(report->etag == etag_of(rig));
    CHECK(report->recognised == (n == kRequests));
    check_nothing_lost(rig, 3);
}

TEST_CASE("a commit that is refused by its own copy is a success, not a conflict") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    SECTION("without a condition") {}
    SECTION("with --if-none-match '*'") {
        options = only_if_absent(options);
    }
    SECTION("with --if-match") {
        rig.service.put("box", "data", kOldBlob);
        options = with_if_match(options, etag_of(rig));
    }
    rig.faulty.on("Put Block List").silent_replay();
    const auto report = upload(rig, rig.file(kThree), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->recognised);
    CHECK(report->etag == etag_of(rig));
    CHECK(rig.service.requests("Put Block List") == 2);
    CHECK(rig.done("Put Block List") == 1);
}

TEST_CASE("a storm of 503 answers is sat out") {
    Rig rig;
    std::atomic<int> sent{0};
    rig.faulty.on(any_request()).from(1).with("storm", [&](const FaultCall& call) -> Result<http::Response> {
        if (sent++ % 3 == 2) return call.forward(call.request);
        http::Response busy;
        busy.status = 503;
        busy.headers.set("x-ms-error-code", "ServerBusy");
        busy.headers.set("Retry-After", "2");
        return busy;
    });
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    CHECK(rig.content() == kThree);
    CHECK(sent == 3 * static_cast<int>(kRequests));
    for (const auto wait : rig.clock.waits()) CHECK(wait >= std::chrono::seconds(2));
}

TEST_CASE("a missing container is created before the blocks are sent, when that was asked for") {
    Rig rig;
    rig.blob.container = "fresh";
    ops::UploadOptions options = small_blocks();
    const auto refused = upload(rig, rig.file(kThree), options);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::not_found);
    CHECK(rig.service.operations() == Names{"Get Blob Properties"});
    options.create_container = true;
    rig.service.clear_log();
    SECTION("and the upload goes on") {
        REQUIRE(upload(rig, rig.file(kThree), options));
        CHECK(rig.service.operations() == Names{"Get Blob Properties", "Create Container", "Get Block List",
                                                "Put Block", "Put Block", "Put Block", "Put Block List"});
        CHECK(rig.service.content("fresh", "data") == kThree);
    }
    SECTION("but not where the condition cannot be met in it") {
        const auto unmet = upload(rig, rig.file(kThree), with_if_match(options, "\"0x1\""));
        REQUIRE(!unmet);
        CHECK(unmet.error().code == ErrorCode::precondition);
        CHECK(rig.service.requests("Create Container") == 0);
    }
}

TEST_CASE("the lease id is on every request that writes, blocks included") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const auto lease = rig.peer.client().acquire_lease(rig.blob, -1, "0f0e0d0c-0b0a-4908-8706-050403020100", {}, {});
    REQUIRE(lease);
    rig.service.clear_log();
    const auto busy = upload(rig, rig.file(kThree), small_blocks());
    REQUIRE(!busy);
    CHECK(busy.error().code == ErrorCode::busy);
    CHECK(rig.content() == kOldBlob);
    rig.service.clear_log();
    ops::UploadOptions options = small_blocks();
    options.conditions.lease_id = lease->lease_id;
    REQUIRE(upload(rig, rig.file(kThree), options));
    CHECK(rig.content() == kThree);
    for (const LoggedRequest& line : rig.service.log()) {
        if (line.method == http::Method::put) CHECK(line.headers.get("x-ms-lease-id") == lease->lease_id);
    }
}

TEST_CASE("a block size that cannot be, or too many blocks, are refused before a request is sent") {
    Rig rig;
    ops::UploadOptions options;
    std::string path = rig.file(kThree);
    SECTION("no multiple of 4 KiB") {
        options.block_size = 4097;
    }
    SECTION("nothing") {
        options.block_size = 0;
    }
    SECTION("more than a block can hold") {
        options.block_size = 4001ULL * 1024 * 1024;
    }
    SECTION("50,001 blocks") {
        options.block_size = kSmallBlock;
        REQUIRE(truncate(path.c_str(), 50'000 * 4096 + 1) == 0);
    }
    const auto report = upload(rig, path, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::usage);
    CHECK(rig.faulty.requests() == 0);
}

}  // namespace azlock::test
