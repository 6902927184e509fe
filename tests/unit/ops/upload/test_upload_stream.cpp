// A stream of unknown length becomes a blob, with bounded memory, or nothing: lengths around the block size, and the
// expected size and MD5.
#include <thread>

#include <unistd.h>

#include "ops/upload/block_plan.hpp"
#include "ops/upload/stream_blocks.hpp"
#include "ops/upload/upload_stream.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

using ops::kMiB;
using ops::StreamPlan;

// A pipe into which somebody writes `content`. Both ends are closed with the object.
class Source {
  public:
    explicit Source(std::string content) : content_(std::move(content)) {
        if (::pipe(ends_) != 0) throw std::runtime_error("pipe");
        writer_ = std::jthread([this] {
            for (std::size_t done = 0; done < content_.size();) {
                const ssize_t n = ::write(ends_[1], content_.data() + done, content_.size() - done);
                if (n <= 0) break;
                done += static_cast<std::size_t>(n);
            }
            ::close(ends_[1]);
        });
    }
    ~Source() { ::close(ends_[0]); }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    [[nodiscard]] int fd() const { return ends_[0]; }

  private:
    std::string content_;
    int ends_[2] = {-1, -1};
    std::jthread writer_;
};

struct Streamed {
    explicit Streamed(const std::string& content) : pipe(content) {
        source.fd = pipe.fd();
        source.name = "the pipe";
        source.memory = 8 * kMiB;
    }
    Result<ops::UploadReport> run(Rig& rig, const ops::UploadOptions& options) {
        ops::ConcurrencyLimit concurrency(options.concurrency);
        return ops::upload_stream(rig.us.client(), rig.blob, source, options, {concurrency, {}}, {});
    }
    Source pipe;
    ops::StreamSource source;
};

}  // namespace

TEST_CASE("every length around the block comes through a pipe as it is, small ones in one request") {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{kSmallBlock - 1}, std::size_t{kSmallBlock},
          std::size_t{kSmallBlock + 1}, std::size_t{2 * kSmallBlock}, std::size_t{20 * kSmallBlock + 7}}) {
        CAPTURE(size);
        Rig rig;
        const std::string content = noise(size);
        Streamed streamed(content);
        const auto report = streamed.run(rig, small_blocks(3));
        INFO(why(report));
        REQUIRE(report);
        CHECK(rig.content() == content);
        CHECK(report->bytes == size);
        CHECK(report->blocks == (size <= kSmallBlock ? 0 : (size + kSmallBlock - 1) / kSmallBlock));
        if (size <= kSmallBlock) CHECK(rig.service.operations() == std::vector<std::string>{"Put Blob"});
    }
}

TEST_CASE("what a pipe must be is checked before the commit") {
    const std::size_t size = GENERATE(std::size_t{100}, std::size_t{3 * kSmallBlock});
    const std::string content = noise(size);
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    Streamed streamed(content);
    bool right = false;
    SECTION("its size is right") {
        streamed.source.expect_size = size;
        right = true;
    }
    SECTION("its size is wrong") {
        streamed.source.expect_size = size + 1;
    }
    SECTION("its SHA-256 is right") {
        streamed.source.expect_sha256 = sha256(as_bytes(content));
        right = true;
    }
    SECTION("its SHA-256 is wrong") {
        streamed.source.expect_sha256 = sha256(as_bytes("something else"));
    }
    const auto report = streamed.run(rig, small_blocks());
    CHECK(report.has_value() == right);
    if (!report) CHECK(report.error().code == ErrorCode::data);
    CHECK(rig.content() == (right ? content : kOldBlob));
}

TEST_CASE("a pipe that is expected to be larger than any blob is refused before it is read") {
    ops::StreamSource source;
    ops::UploadOptions options;
    const std::uint64_t largest = 50'000 * 4000 * kMiB;
    SECTION("with the largest blocks") {
        source.memory = 10'000 * kMiB;
        source.expect_size = largest;
        CHECK(ops::check_stream(source, options));
        source.memory = kMiB;
        source.expect_size = largest + 1;
    }
    SECTION("with the largest number that can be given") {
        source.expect_size = UINT64_MAX;
    }
    SECTION("with the blocks that were asked for") {
        options.block_size = kSmallBlock;
        source.expect_size = 50'000 * kSmallBlock + 1;
    }
    const auto refused = ops::check_stream(source, options);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.find("--expect-size: the largest blob has ") == 0);
}

TEST_CASE("a producer that failed commits nothing, and its own error is the outcome") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    Streamed streamed(noise(GENERATE(std::size_t{10}, std::size_t{3 * kSmallBlock})));
    streamed.source.producer_ended = [] { return Status(fail(ErrorCode::io, "the producer")); };
    const auto report = streamed.run(rig, small_blocks());
    REQUIRE(!report);
    CHECK(report.error().message == "the producer");
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.service.requests("Put Block List") == 0);
}

TEST_CASE("blocks that an interrupted pipe staged are reused when the same bytes come again") {
    Rig rig;
    const std::string content = noise(5 * kSmallBlock);
    rig.faulty.on("Put Block").from(4).return_status(403, "AuthorizationPermissionMismatch");
    Streamed first(content);
    REQUIRE(!first.run(rig, small_blocks()));
    rig.faulty.clear();
    Streamed second(content);
    const auto report = second.run(rig, small_blocks());
    REQUIRE(report);
    CHECK(report->reused_blocks == 3);
    CHECK(rig.content() == content);
}

TEST_CASE("blocks of a pipe that a peer's commit discarded cannot be sent again, and that is said") {
    Rig rig;
    Streamed streamed(noise(3 * kSmallBlock));
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] { peer_uploads_blocks(rig, noise(2 * kSmallBlock, 99)); });
    const auto report = streamed.run(rig, small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().message.find("cannot be read once more") != std::string::npos);
    CHECK(rig.content() == noise(2 * kSmallBlock, 99));
}

TEST_CASE("flag --put-md5 stores the sum of the whole stream") {
    Rig rig;
    const std::string content = noise(3 * kSmallBlock + 1);
    Streamed streamed(content);
    ops::UploadOptions options = small_blocks(3);
    options.put_md5 = true;
    REQUIRE(streamed.run(rig, options));
    const auto head = rig.us.client().get_properties(rig.blob, {}, {});
    CHECK(head->properties.content.md5 == base64_encode(md5(as_bytes(content))));
}

TEST_CASE("a stop ends the waiting for a pipe that gives nothing") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    Rig rig;
    std::stop_source stop;
    ops::StreamSource source;
    source.fd = ends[0];
    source.name = "the pipe";
    source.memory = 8 * kMiB;
    Result<ops::UploadReport> report;
    {
        std::jthread stopper([&] { stop.request_stop(); });
        ops::ConcurrencyLimit concurrency(1);
        report = ops::upload_stream(rig.us.client(), rig.blob, source, small_blocks(), {concurrency, {}},
                                    {kNoDeadline, stop.get_token()});
    }
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(rig.service.requests() == 0);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("blocks grow every ten thousand, as far as memory holds one of them") {
    StreamPlan plan;
    plan.block_size = 8 * kMiB;
    plan.memory = 64 * kMiB;
    CHECK(ops::stream_block_size(plan, 0) == 8 * kMiB);
    CHECK(ops::stream_block_size(plan, 9'999) == 8 * kMiB);
    CHECK(ops::stream_block_size(plan, 10'000) == 16 * kMiB);
    CHECK(ops::stream_block_size(plan, 20'000) == 32 * kMiB);
    CHECK(ops::stream_block_size(plan, 30'000) == 64 * kMiB);
    CHECK(ops::stream_block_size(plan, 49'999) == 64 * kMiB);
    plan.grows = false;
    CHECK(ops::stream_block_size(plan, 49'999) == 8 * kMiB);
}

TEST_CASE("no more blocks of a pipe are held than memory allows") {
    Source pipe(noise(10 * kSmallBlock));
    StreamPlan plan;
    plan.block_size = kSmallBlock;
    plan.memory = 2 * kSmallBlock;
    ops::StreamBlocks block_source(pipe.fd(), "the pipe", plan);
    auto first = block_source.next({}).value();
    auto second = block_source.next({}).value();
    REQUIRE(second);
    std::stop_source stop;
    stop.request_stop();
    const auto third = block_source.next(stop.get_token());
    REQUIRE(!third);
    CHECK(third.error().code == ErrorCode::cancelled);
    first.reset();
    CHECK(block_source.next({}).value()->body->size() == kSmallBlock);
}

TEST_CASE("a stream of more than 50,000 blocks is refused with what helps") {
    Source pipe(std::string(50'001 * 16, 'x'));
    StreamPlan plan;
    plan.block_size = 16;
    plan.grows = false;
    plan.memory = 64;
    ops::StreamBlocks block_source(pipe.fd(), "the pipe", plan);
    for (int i = 0; i < 50'000; ++i) REQUIRE(block_source.next({}).value());
    const auto over = block_source.next({});
    REQUIRE(!over);
    CHECK(over.error().code == ErrorCode::usage);
    CHECK(over.error().hint.find("--block-size") != std::string::npos);
}

}  // namespace azlock::test
