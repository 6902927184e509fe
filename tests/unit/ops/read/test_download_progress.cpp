// What a download counts while it runs, and how fast it may be.
#include <chrono>

#include "support/catch.hpp"
#include "unit/ops/read/download_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::DownloadRig;
using test::kContent;
using test::kRange;
using test::noise;

struct CountedDownload : DownloadRig {
    explicit CountedDownload(const std::string& content = kContent) : DownloadRig(content) {
        options.meter.progress = &progress;
    }
    Progress progress;
};

}  // namespace

TEST_CASE("at the end of a download all its bytes are done, and none is on its way") {
    CountedDownload d;
    d.options.concurrency = GENERATE(1U, 4U);
    SECTION("at once") {}
    SECTION("after an answer that broke off") {
        d.rig.faulty.on("Get Blob").nth(3, 2).truncate(500);
    }
    SECTION("after another start, because the blob has changed") {
        d.rig.faulty.on("Get Blob").nth(3).meanwhile([&] { d.rig.service.put("box", "data", kContent + "more"); });
    }
    REQUIRE(d.run());
    CHECK(d.progress.total == d.target.bytes.size());
    CHECK(d.progress.sent == d.target.bytes.size());
    CHECK(d.progress.moving == 0);
}

TEST_CASE("bytes of a download are on their way until they are written") {
    CountedDownload d;
    std::vector<std::uint64_t> seen;
    d.rig.faulty.on("Get Blob").from(1).meanwhile([&] {
        CHECK(d.progress.moving == 0);
        seen.push_back(d.progress.sent);
    });
    REQUIRE(d.run());
    CHECK(seen == std::vector<std::uint64_t>{0, kRange, 2 * kRange, 3 * kRange});
}

TEST_CASE("a download that fails leaves nothing on its way") {
    CountedDownload d;
    d.rig.faulty.on("Get Blob").from(3).truncate(500);
    REQUIRE_FALSE(d.run());
    CHECK(d.progress.sent == 2 * kRange);
    CHECK(d.progress.moving == 0);
}

TEST_CASE("a download keeps to the rate limit, with ranges of about a second") {
    DownloadRig d(noise(1'000'000));
    RateLimit limit(d.rig.clock, 200'000);
    d.options = {};
    d.options.concurrency = 1;
    d.options.meter.limit = &limit;
    const BootTime start = d.rig.clock.now();
    REQUIRE(d.run());
    CHECK(d.target.bytes == noise(1'000'000));
    CHECK(d.rig.clock.now() - start > std::chrono::milliseconds(4800));
    CHECK(d.rig.clock.now() - start <= seconds(6));
    CHECK(d.rig.service.requests() == 8);
}

TEST_CASE("a stop ends a download that waits for its rate") {
    DownloadRig d(noise(1'000'000));
    RateLimit limit(d.rig.clock, 1);
    std::stop_source stop;
    d.options.meter.limit = &limit;
    d.rig.faulty.on("Get Blob").nth(1).meanwhile([&] { stop.request_stop(); });
    const auto report = d.run({kNoDeadline, stop.get_token()});
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::cancelled);
}

}  // namespace azlock::ops
