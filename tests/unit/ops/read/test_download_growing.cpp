// A download of an append blob that grows meanwhile.
#include "support/catch.hpp"
#include "unit/ops/read/download_rig.hpp"

namespace azlock::ops {
namespace {

using test::DownloadRig;
using test::kContent;
using test::kRange;
using test::noise;
using test::why;

// "box/data" is an append blob with a block of kContent.
struct GrowingDownload : DownloadRig {
    GrowingDownload() {
        rig.service.erase("box", "data");
        make();
        append(kContent);
    }
    void make() {
        azure::PutBlobOptions append_blob;
        append_blob.blob_type = "AppendBlob";
        REQUIRE(rig.peer.client().put_blob(rig.blob, nullptr, append_blob, {}));
    }
    void append(const std::string& bytes) {
        REQUIRE(rig.peer.client().append_block(rig.blob, http::make_body(bytes), {}, {}));
    }
};

}  // namespace

TEST_CASE("a growing append blob is downloaded as it was at the start") {
    GrowingDownload d;
    for (std::size_t n : {2U, 3U, 4U}) d.rig.faulty.on("Get Blob").nth(n).meanwhile([&] { d.append("more"); });
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK((d.target.bytes == kContent));
    CHECK(d.target.restarts == 0);
    CHECK(d.rig.service.requests("Get Blob") == 4);
    CHECK(report->properties.content_length == kContent.size());
}

TEST_CASE("an append blob that was made again while it was read is another one") {
    GrowingDownload d;
    const std::string later = GENERATE(std::string("short"), noise(2 * kRange + 10, 7), noise(9 * kRange, 7));
    d.rig.faulty.on("Get Blob").nth(3).meanwhile([&] {
        d.rig.service.erase("box", "data");
        d.rig.clock.advance(std::chrono::seconds(2));
        d.make();
        d.append(later);
    });
    SECTION("a file begins again") {
        const auto report = d.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK((d.target.bytes == later));
        CHECK(d.target.restarts == 1);
    }
    SECTION("a pipe cannot") {
        d.target.can_restart = false;
        const auto report = d.run();
        REQUIRE_FALSE(report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(report.error().message == "the blob changed while it was downloaded");
    }
}

}  // namespace azlock::ops
