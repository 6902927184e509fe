// azure/responses: what is read from answers, and that malformed answers are errors.
#include "azure/responses.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

http::Response answer(int status, const std::vector<std::pair<std::string, std::string>>& headers) {
    http::Response out;
    out.status = status;
    out.headers.set("x-ms-request-id", "r");
    for (const auto& [name, value] : headers) out.headers.set(name, value);
    return out;
}

template <typename T>
void malformed(const Result<T>& result) {
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::unavailable);
    CHECK(result.error().fault == TransportFault::malformed);
}

// Feeds a document to a sink as the transport would.
struct BlockListRun {
    std::vector<std::string> blocks;  // "C id 5" or "U id 5"
    int restarts = 0;
    BlockListSink sink{[this](const Block& block) {
                           blocks.push_back((block.committed ? "C " : "U ") + std::string(block.id) + " " +
                                            std::to_string(block.size));
                       },
                       [this] {
                           ++restarts;
                           blocks.clear();
                       }};
};

constexpr std::string_view kBlockList =
    "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>"
    "<CommittedBlocks><Block><Name>MDAx</Name><Size>5</Size></Block><Block><Size>4194304000</Size><Name>MDAy</Name>"
    "</Block></CommittedBlocks><UncommittedBlocks><Block><Name>MDAz</Name><Size>0</Size><New>x</New></Block>"
    "</UncommittedBlocks></BlockList>";

}  // namespace

TEST_CASE("a blob's properties come from every header that tells one") {
    const auto blob = read_blob_properties(answer(200, {{"ETag", "\"0x8D\""},
                                                        {"Last-Modified", "Fri, 26 Jun 2015 23:39:12 GMT"},
                                                        {"x-ms-creation-time", "Thu, 25 Jun 2015 23:39:12 GMT"},
                                                        {"Content-Length", "5000000000"},
                                                        {"Content-Type", "text/plain"},
                                                        {"Content-Encoding", "gzip"},
                                                        {"Content-Language", "de"},
                                                        {"Content-Disposition", "inline"},
                                                        {"Cache-Control", "no-cache"},
                                                        {"Content-MD5", "Pz8543xut4RVSbb2g52Mww=="},
                                                        {"x-ms-blob-type", "AppendBlob"},
                                                        {"x-ms-access-tier", "Hot"},
                                                        {"x-ms-access-tier-inferred", "true"},
                                                        {"x-ms-version-id", "v1"},
                                                        {"x-ms-blob-sealed", "true"},
                                                        {"x-ms-blob-committed-block-count", "7"},
                                                        {"x-ms-tag-count", "2"},
                                                        {"x-ms-lease-status", "locked"},
                                                        {"x-ms-lease-state", "leased"},
                                                        {"x-ms-lease-duration", "fixed"},
                                                        {"X-MS-Meta-Owner", "a b"},
                                                        {"x-ms-meta-empty", ""}}));
    REQUIRE(blob);
    CHECK(blob->etag == "\"0x8D\"");
    CHECK(blob->last_modified == "Fri, 26 Jun 2015 23:39:12 GMT");
    CHECK(blob->creation_time == "Thu, 25 Jun 2015 23:39:12 GMT");
    CHECK(blob->content_length == 5'000'000'000);
    CHECK(blob->content.type == "text/plain");
    CHECK(blob->content.encoding == "gzip");
    CHECK(blob->content.language == "de");
    CHECK(blob->content.disposition == "inline");
    CHECK(blob->content.cache_control == "no-cache");
    CHECK(blob->content.md5 == "Pz8543xut4RVSbb2g52Mww==");
    CHECK(blob->blob_type == "AppendBlob");
    CHECK(blob->access_tier == "Hot");
    CHECK(blob->access_tier_inferred);
    CHECK(blob->version_id == "v1");
    CHECK(blob->sealed);
    CHECK(blob->committed_block_count == 7);
    CHECK(blob->tag_count == 2);
    CHECK(blob->lease.status == "locked");
    CHECK(blob->lease.state == "leased");
    CHECK(blob->lease.duration == "fixed");
    CHECK(blob->metadata == Metadata{{"Owner", "a b"}, {"empty", ""}});
}

TEST_CASE("a ranged answer tells the whole blob's length, and its MD5 only where it is the whole blob's") {
    const auto ranged = read_blob_properties(answer(
        206, {{"ETag", "e"}, {"Content-Length", "5"}, {"Content-Range", "bytes 10-14/100"}, {"Content-MD5", "x"}}));
    REQUIRE(ranged);
    CHECK(ranged->content_length == 100);
    CHECK(ranged->content.md5.empty());
    const auto both = read_blob_properties(
        answer(206, {{"ETag", "e"}, {"Content-Range", "bytes 10-14/100"}, {"x-ms-blob-content-md5", "whole"}}));
    REQUIRE(both);
    CHECK(both->content.md5 == "whole");
}

TEST_CASE("properties without ETag or length are malformed") {
    malformed(read_blob_properties(answer(200, {{"Content-Length", "5"}})));
    malformed(read_blob_properties(answer(200, {{"ETag", "e"}})));
    for (const char* length : {"", "-1", "5x", "99999999999999999999", "5, 5"}) {
        malformed(read_blob_properties(answer(200, {{"ETag", "e"}, {"Content-Length", length}})));
    }
    malformed(read_blob_properties(answer(206, {{"ETag", "e"}, {"Content-Length", "5"}})));
    malformed(
        read_blob_properties(answer(206, {{"ETag", "e"}, {"Content-Length", "5"}, {"Content-Range", "bytes */9"}})));
}

TEST_CASE("Content-Range") {
    struct Case {
        const char* text;
        std::uint64_t first, last, total;
    };
    for (const Case& c : {Case{"bytes 0-9/100", 0, 9, 100}, Case{" Bytes 5-5/6 ", 5, 5, 6},
                          Case{"bytes 0-18446744073709551613/18446744073709551614", 0, 18446744073709551613ULL,
                               18446744073709551614ULL}}) {
        const auto range = parse_content_range(c.text);
        REQUIRE(range);
        CHECK(range->first == c.first);
        CHECK(range->last == c.last);
        CHECK(range->total == c.total);
    }
    for (const char* bad : {"",
                            "bytes",
                            "bytes ",
                            "0-9/100",
                            "items 0-9/100",
                            "bytes 0-9",
                            "bytes 0/100",
                            "bytes -9/100",
                            "bytes 0-/100",
                            "bytes 0-9/",
                            "bytes 0-9/*",
                            "bytes */100",
                            "bytes 9-0/100",
                            "bytes 0-100/100",
                            "bytes 0-9/100x",
                            "bytes 0-9/100/1",
                            "bytes 0/9-100",
                            "bytes=0-9/100",
                            "bytes 0-18446744073709551616/2",
                            "bytes +0-9/100",
                            "bytes 0 -9/100"}) {
        INFO(bad);
        CHECK_FALSE(parse_content_range(bad));
    }
}

TEST_CASE("a container's properties") {
    const auto container = read_container_properties(answer(200, {{"ETag", "e"},
                                                                  {"Last-Modified", "m"},
                                                                  {"x-ms-blob-public-access", "blob"},
                                                                  {"x-ms-lease-state", "available"},
                                                                  {"x-ms-has-immutability-policy", "true"},
                                                                  {"x-ms-has-legal-hold", "false"},
                                                                  {"x-ms-meta-k", "v"}}));
    CHECK(container.etag == "e");
    CHECK(container.last_modified == "m");
    CHECK(container.public_access == "blob");
    CHECK(container.lease.state == "available");
    CHECK(container.has_immutability_policy);
    CHECK_FALSE(container.has_legal_hold);
    CHECK(container.metadata == Metadata{{"k", "v"}});
}

TEST_CASE("answers to writes, appends and leases") {
    const auto write =
        read_write_result(answer(201, {{"ETag", "e"}, {"Last-Modified", "m"}, {"x-ms-version-id", "v"}}));
    REQUIRE(write);
    CHECK(write->etag == "e");
    CHECK(write->last_modified == "m");
    CHECK(write->version_id == "v");
    malformed(read_write_result(answer(201, {})));

    const auto append = read_append_result(
        answer(201, {{"ETag", "e"}, {"x-ms-blob-append-offset", "12"}, {"x-ms-blob-committed-block-count", "3"}}));
    REQUIRE(append);
    CHECK(append->offset == 12);
    CHECK(append->committed_blocks == 3);
    malformed(read_append_result(answer(201, {{"x-ms-blob-append-offset", "12"}})));
    malformed(read_append_result(answer(201, {{"ETag", "e"}})));
    malformed(read_append_result(answer(201, {{"ETag", "e"}, {"x-ms-blob-append-offset", "-1"}})));

    const auto lease = read_lease_result(answer(201, {{"ETag", "e"}, {"x-ms-lease-id", "id"}}));
    REQUIRE(lease);
    CHECK(lease->lease_id == "id");
    CHECK_FALSE(lease->seconds_left);
    CHECK(read_lease_result(answer(202, {{"x-ms-lease-time", "0"}}))->seconds_left == 0);
    CHECK(read_lease_result(answer(202, {{"x-ms-lease-time", "60"}}))->seconds_left == 60);
    for (const char* bad : {"-1", "x", "99999999999"}) {
        CHECK_FALSE(read_lease_result(answer(202, {{"x-ms-lease-time", bad}}))->seconds_left);
    }
}

TEST_CASE("a block list is read while it arrives, cut anywhere") {
    for (std::size_t cut = 0; cut <= kBlockList.size(); ++cut) {
        BlockListRun run;
        REQUIRE(run.sink.begin(answer(200, {})));
        REQUIRE(run.sink.write(as_bytes(kBlockList.substr(0, cut))));
        REQUIRE(run.sink.write(as_bytes(kBlockList.substr(cut))));
        REQUIRE(run.sink.finish());
        REQUIRE(run.blocks == std::vector<std::string>{"C MDAx 5", "C MDAy 4194304000", "U MDAz 0"});
        REQUIRE(run.restarts == 1);
    }
}

TEST_CASE("a block list that starts again forgets the first try") {
    BlockListRun run;
    REQUIRE(run.sink.begin(answer(200, {})));
    REQUIRE(run.sink.write(as_bytes(kBlockList.substr(0, 150))));
    CHECK_FALSE(run.blocks.empty());
    REQUIRE(run.sink.begin(answer(200, {})));
    CHECK(run.blocks.empty());
    REQUIRE(run.sink.write(as_bytes(kBlockList)));
    REQUIRE(run.sink.finish());
    CHECK(run.blocks.size() == 3);
    CHECK(run.restarts == 2);
}

TEST_CASE("a block list takes only the service's own success") {
    BlockListRun run;
    CHECK_FALSE(run.sink.begin(answer(404, {})));
    CHECK_FALSE(run.sink.begin(answer(206, {})));
    http::Response portal;
    portal.status = 200;
    CHECK_FALSE(run.sink.begin(portal));
    BlockListRun unused;
    CHECK_FALSE(unused.sink.finish());
}

TEST_CASE("150000 blocks need no memory here") {
    std::size_t seen = 0;
    BlockListSink sink([&](const Block& block) { seen += block.id.size() == 64 && block.size == 8388608 ? 1U : 0U; },
                       [&] { seen = 0; });
    REQUIRE(sink.begin(answer(200, {})));
    REQUIRE(sink.write(as_bytes("<BlockList><CommittedBlocks>")));
    const std::string entry = "<Block><Name>" + std::string(64, 'A') + "</Name><Size>8388608</Size></Block>";
    bool ok = true;
    for (int i = 0; i < 150'000; ++i) ok = ok && sink.write(as_bytes(entry)).has_value();
    REQUIRE(ok);
    REQUIRE(sink.write(as_bytes("</CommittedBlocks></BlockList>")));
    REQUIRE(sink.finish());
    CHECK(seen == 150'000);
}

TEST_CASE("malformed block lists") {
    for (const std::string body :
         {"", "<html/>", "<Other><Block><Name>a</Name><Size>1</Size></Block></Other>",
          "<BlockList><CommittedBlocks><Block><Name>a</Name></Block></CommittedBlocks></BlockList>",
          "<BlockList><CommittedBlocks><Block><Size>1</Size></Block></CommittedBlocks></BlockList>",
          "<BlockList><UncommittedBlocks><Block><Name>a</Name><Size>-1</Size></Block>"
          "</UncommittedBlocks></BlockList>",
          "<BlockList><CommittedBlocks><Block><Name>a</Name><Size>1</Size></Block>", "<!DOCTYPE x><BlockList/>"}) {
        INFO(body);
        BlockListRun run;
        REQUIRE(run.sink.begin(answer(200, {})));
        auto status = run.sink.write(as_bytes(body));
        if (status) status = run.sink.finish();
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::unavailable);
        CHECK(status.error().fault == TransportFault::malformed);
    }
    BlockListRun empty;
    REQUIRE(empty.sink.begin(answer(200, {})));
    REQUIRE(empty.sink.write(as_bytes("<BlockList />")));
    CHECK(empty.sink.finish());
}
