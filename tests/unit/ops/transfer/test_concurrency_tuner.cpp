// How many requests run at once: more as long as more are faster, half if the service is busy.
#include "ops/transfer/concurrency_tuner.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {
namespace {

struct Line {
    test::FakeClock clock;
    ConcurrencyLimit concurrency{4};
    ConcurrencyTuner tuner{clock, concurrency, 1, 32};

    void answer(int status) {
        azure::Operation op;
        op.name = "Put Block";
        op.request.body = http::make_body(std::string(1000, 'x'));
        http::Response response;
        response.status = status;
        tuner.answered(op, response, {});
    }
    // One round of answers over a line that carries `per_second` of them, however many requests run at once.
    void round(double per_second) {
        const std::size_t n = concurrency.limit();
        for (std::size_t i = 0; i < n; ++i) {
            clock.advance(std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / per_second)));
            answer(201);
        }
    }
};

}  // namespace

TEST_CASE("while every one more brings more, there is one more after each round, up to the most") {
    Line line;
    for (std::size_t expected = 5; expected <= 32; ++expected) {
        line.round(10.0 * static_cast<double>(line.concurrency.limit()));
        CHECK(line.concurrency.limit() == expected);
    }
    line.round(1000);
    CHECK(line.concurrency.limit() == 32);
}

TEST_CASE("what brings nothing is taken back, and not tried again at once") {
    Line line;
    line.round(100);
    CHECK(line.concurrency.limit() == 5);
    line.round(100);
    CHECK(line.concurrency.limit() == 4);
    for (int i = 0; i < 8; ++i) {
        line.round(100);
        CHECK(line.concurrency.limit() == 4);
    }
    line.round(100);
    CHECK(line.concurrency.limit() == 5);
}

TEST_CASE("a busy service halves what is at work, once for one storm of answers, and never below one") {
    Line line;
    const int busy = GENERATE(503, 429);
    line.concurrency.set_limit(16);
    for (int i = 0; i < 10; ++i) line.answer(busy);
    CHECK(line.concurrency.limit() == 8);
    line.clock.advance(std::chrono::seconds(2));
    line.answer(busy);
    CHECK(line.concurrency.limit() == 4);
    for (int i = 0; i < 5; ++i) {
        line.clock.advance(std::chrono::seconds(2));
        line.answer(busy);
    }
    CHECK(line.concurrency.limit() == 1);
}

TEST_CASE("other requests and other failures change nothing") {
    Line line;
    azure::Operation op;
    op.name = "Get Blob Properties";
    http::Response busy;
    busy.status = 503;
    line.tuner.answered(op, busy, {});
    for (int i = 0; i < 100; ++i) line.answer(500);
    CHECK(line.concurrency.limit() == 4);
}

}  // namespace azlock::ops
