// How much of a transfer runs at once, with how much memory, and how long its requests may take.
#include "ops/transfer/transfer.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

struct Made {
    explicit Made(const TransferRequest& request) : parts(TransferParts::make(request, clock).value()) {}
    [[nodiscard]] std::size_t first() const { return parts->transfer().concurrency.limit(); }
    test::FakeClock clock;
    std::unique_ptr<TransferParts> parts;
};

std::string refusal(const TransferRequest& request) {
    test::FakeClock clock;
    const auto made = TransferParts::make(request, clock);
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::usage);
    return made.error().message;
}

}  // namespace

TEST_CASE("without a wish a transfer begins with four at once and adapts up to 32, in 32 MiB") {
    const Made made(TransferRequest{});
    CHECK(made.first() == 4);
    CHECK(made.parts->threads() == 32);
    CHECK(made.parts->memory() == 32 * kMiB);
    CHECK(made.parts->tuning().observer != nullptr);
    CHECK(made.parts->transfer().meter.limit == nullptr);
    CHECK(made.parts->tuning().rides_out);
    CHECK(made.parts->tuning().stall_timeout == std::chrono::seconds(30));
    CHECK(made.parts->tuning().slowest_rate == azure::PipelineOptions().slowest_rate);
}

TEST_CASE("a given number runs at once from the start and does not adapt, as far as the memory has room") {
    TransferRequest request;
    request.concurrency = 12;
    const Made many(request);
    CHECK(many.first() == 12);
    CHECK(many.parts->threads() == 12);
    CHECK(many.parts->tuning().observer == nullptr);
    request.memory = 5 * kMiB + 1;
    const Made few(request);
    CHECK(few.first() == 5);
    CHECK(few.parts->threads() == 5);
}

TEST_CASE("little memory bounds what adapts, too") {
    TransferRequest request;
    request.memory = 2 * kMiB;
    const Made made(request);
    CHECK(made.first() == 2);
    CHECK(made.parts->threads() == 2);
}

TEST_CASE("with a limited rate two run at once, and each attempt gets twice the time of its share") {
    TransferRequest request;
    request.limit_rate = 40'000;
    const Made made(request);
    CHECK(made.parts->threads() == 2);
    CHECK(made.first() == 2);
    CHECK(made.parts->tuning().slowest_rate == 10'000);
    CHECK(made.parts->tuning().observer == nullptr);
    REQUIRE(made.parts->transfer().meter.limit != nullptr);
    RateLimit& limit = *made.parts->transfer().meter.limit;
    const BootTime start = made.clock.now();
    REQUIRE(limit.take(80'000, kNoDeadline, {}));
    REQUIRE(limit.take(1, kNoDeadline, {}));
    CHECK(made.clock.now() - start == std::chrono::seconds(2));

    request.concurrency = 5;
    CHECK(Made(request).parts->tuning().slowest_rate == 4'000);
    request.limit_rate = 1;
    CHECK(Made(request).parts->tuning().slowest_rate == 1);
    request.limit_rate = 1'000 * kMiB;
    CHECK(Made(request).parts->tuning().slowest_rate == azure::PipelineOptions().slowest_rate);
}

TEST_CASE("the given times reach the requests") {
    TransferRequest request;
    request.stall_timeout = std::chrono::seconds(3);
    request.retry_for = std::chrono::seconds(7);
    const Made made(request);
    CHECK(made.parts->tuning().stall_timeout == std::chrono::seconds(3));
    CHECK(made.parts->tuning().retry_for == std::chrono::seconds(7));
}

TEST_CASE("a transfer needs memory for one buffer, a rate and a time") {
    TransferRequest request;
    SECTION("memory") {
        request.memory = kMiB - 1;
        CHECK(refusal(request) == "--memory: at least 1MiB is needed");
        CHECK(check_memory(kMiB));
    }
    SECTION("rate") {
        request.limit_rate = 0;
        CHECK(refusal(request) == "--limit-rate: must be more than 0");
    }
    SECTION("stall") {
        request.stall_timeout = std::chrono::milliseconds(0);
        CHECK(refusal(request) == "--stall-timeout: must be more than 0");
    }
}

}  // namespace azlock::ops
