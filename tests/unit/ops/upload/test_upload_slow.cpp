// Uploads over a slow line: they get through, and a run that is killed has moved forward.
#include "ops/upload/upload_many.hpp"
#include "support/slow_line.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;
using test::Actor;
using test::noise;
using test::Rig;
using test::SlowLine;
using test::why;

// One run of the program; it is killed after `life`.
Result<UploadReport> run(Rig& rig, const std::string& path, std::uint64_t rate, std::chrono::seconds life) {
    SlowLine line(rig.service, rig.clock, rate);
    std::stop_source killed;
    line.kill_at(rig.clock.now() + life, killed);
    Actor us(line, rig.clock, 3);
    ConcurrencyLimit concurrency(4);
    UploadOptions options;
    return upload_file(us.client(), rig.blob, path, options, {concurrency, {}}, {kNoDeadline, killed.get_token()});
}

std::uint64_t staged_bytes(Rig& rig) {
    return BlockInventory::take(rig.peer.client(), rig.blob, {}, {}).value().staged().bytes;
}

}  // namespace

TEST_CASE("every run over a slow line stages most of what it can send before it is killed") {
    const std::uint64_t rate = GENERATE(20'000U, 60'000U, 100'000U, 500'000U, 2'000'000U);
    const std::uint64_t size = GENERATE(3'000'000U, 20'000'000U);
    CAPTURE(rate, size);
    Rig rig;
    const std::string content = noise(size);
    const std::string path = rig.file(content);
    const std::uint64_t best = rate * 30;
    std::uint64_t before = 0;
    for (int runs = 1;; ++runs) {
        REQUIRE(runs <= 3 * static_cast<int>(size / best + 1));
        const auto report = run(rig, path, rate, 30s);
        INFO(why(report));
        if (report) break;
        REQUIRE(report.error().code == ErrorCode::cancelled);
        const std::uint64_t staged = staged_bytes(rig);
        CAPTURE(runs, before, staged);
        CHECK(staged >= before + best / 3);
        before = staged;
    }
    CHECK(rig.content() == content);
}

TEST_CASE("an upload over a slow line gets through in little more than the time for its bytes") {
    Rig rig;
    const std::string content = noise(10'000'000);
    const std::string path = rig.file(content);
    const BootTime start = rig.clock.now();
    const auto report = run(rig, path, 60'000, std::chrono::hours(10));
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == content);
    CHECK(rig.clock.now() - start < 200s);  // 167 s for the bytes alone
}

TEST_CASE("pieces that an earlier run has staged are found again, and the blob is whole over a fast line") {
    Rig rig;
    const std::string content = noise(20'000'000);
    const std::string path = rig.file(content);
    REQUIRE(!run(rig, path, 100'000, 30s));
    const std::uint64_t staged = staged_bytes(rig);
    REQUIRE(staged > 0);
    ConcurrencyLimit concurrency(4);
    const auto report = upload_file(rig.us.client(), rig.blob, path, {}, {concurrency, {}}, {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->reused() == staged);
    CHECK(rig.content() == content);
}

TEST_CASE("the run after one over a slow line begins with a small piece, too") {
    Rig rig;
    const std::string path = rig.file(noise(20'000'000));
    REQUIRE(!run(rig, path, 100'000, 30s));
    rig.service.clear_log();
    std::stop_source stop;
    rig.faulty.on("Put Block").from(1).stop(stop);
    ConcurrencyLimit concurrency(1);
    REQUIRE(!upload_file(rig.us.client(), rig.blob, path, {}, {concurrency, {}}, {kNoDeadline, stop.get_token()}));
    std::vector<std::uint64_t> sizes;
    for (const auto& request : rig.service.log()) {
        if (request.operation == "Put Block") sizes.push_back(request.body_size);
    }
    REQUIRE(!sizes.empty());
    CHECK(sizes.front() <= 256 * 1024);
}

TEST_CASE("zeros over a slow line are staged once and go on after a kill") {
    Rig rig;
    const std::string content(3'000'000, '\0');
    const std::string path = rig.file(content);
    REQUIRE(!run(rig, path, 60'000, 30s));
    const std::uint64_t staged = staged_bytes(rig);
    CHECK(staged > 600'000);
    for (int runs = 0; !run(rig, path, 60'000, 30s); ++runs) REQUIRE(runs < 5);
    CHECK(rig.content() == content);
}

TEST_CASE("pieces are found by their length, also the longer ones of a large file") {
    Rig rig;
    const auto stage = [&](std::uint32_t length, std::uint64_t plan_size, CutKind cut) {
        BlockId id;
        id.length = length;
        id.plan = PlanTag::make(cut, HashKind::sha256, plan_size);
        const auto sent =
            rig.peer.client().put_block(rig.blob, id.encode(), http::make_body(std::string(length, 'x')), {}, {}, {});
        REQUIRE(sent);
        return BlockInventory::take(rig.peer.client(), rig.blob, {}, {}).value();
    };
    constexpr std::uint32_t kKiB = 1024;
    constexpr std::uint64_t kPlan = 8ULL * 1024 * 1024;
    CHECK_FALSE(stage(100 * kKiB, kPlan, CutKind::fixed).has_pieces());  // the end of a file
    CHECK_FALSE(stage(32 * kKiB, kPlan, CutKind::fixed).has_pieces());
    CHECK_FALSE(stage(128 * kKiB, 128 * kKiB, CutKind::fixed).has_pieces());
    const auto present = stage(256 * kKiB, kPlan, CutKind::fixed);
    CHECK(present.has_pieces());
    CHECK(present.has_staged_pieces());
}

TEST_CASE("pieces of a blob that is committed do not make its next upload a slow one") {
    Rig rig;
    const std::string content = noise(3'000'000);
    const std::string path = rig.file(content);
    REQUIRE(run(rig, path, 60'000, std::chrono::hours(1)));
    const auto present = BlockInventory::take(rig.peer.client(), rig.blob, {}, {}).value();
    REQUIRE(present.has_pieces());
    CHECK_FALSE(present.has_staged_pieces());
    ConcurrencyLimit concurrency(4);
    const std::string longer = rig.file(content + noise(30'000'000));
    REQUIRE(upload_file(rig.us.client(), rig.blob, longer, {}, {concurrency, {}}, {}));
    CHECK(rig.content()->size() == 33'000'000);
    CHECK(concurrency.piece() > (std::uint64_t{1} << 40U));  // no limit
}

TEST_CASE("a slow line does not outlast the time for the whole command, and the error says so") {
    Rig rig;
    SlowLine line(rig.service, rig.clock, 20'000);
    Actor us(line, rig.clock, 3);
    ConcurrencyLimit concurrency(2);
    const std::string path = rig.file(noise(9'000'000));
    const BootTime start = rig.clock.now();
    const auto report = upload_file(us.client(), rig.blob, path, {}, {concurrency, {}}, {rig.clock.after(20s), {}});
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().message.find("deadline") != std::string::npos);
    CHECK(rig.clock.now() - start < 40s);
}

TEST_CASE("a block size that the user chose stays, however slow the line is") {
    Rig rig;
    SlowLine line(rig.service, rig.clock, 20'000);
    Actor us(line, rig.clock, 3);
    const std::string content = noise(3'000'000);
    const std::string path = rig.file(content);
    ConcurrencyLimit concurrency(2);
    UploadOptions options;
    options.block_size = 1024 * 1024;
    const auto report = upload_file(us.client(), rig.blob, path, options, {concurrency, {}}, {});
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->blocks == 3);
    CHECK(rig.content() == content);
}

}  // namespace azlock::ops
