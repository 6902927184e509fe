// Deadlines and stop requests: send() returns, wherever the request is stuck, and touches nothing afterwards.
#include <latch>

#include <sys/socket.h>

#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLimit{300};

// A lookup hangs until this object is destroyed.
class HangingResolver {
  public:
    HangingResolver() : steps_(std::make_shared<Steps>()) {}
    HangingResolver(const HangingResolver&) = delete;
    HangingResolver& operator=(const HangingResolver&) = delete;
    ~HangingResolver() {
        steps_->release.count_down();
        steps_->done.wait();
    }

    // The resolver may be asked only once.
    [[nodiscard]] http::Resolver resolver() const {
        return [steps = steps_](const std::string&, std::uint16_t port) {
            steps->asked.count_down();
            steps->release.wait();
            auto answer = http::resolve_with_system("127.0.0.1", port);
            steps->done.count_down();
            return answer;
        };
    }
    void wait_until_asked() const { steps_->asked.wait(); }

  private:
    struct Steps {
        std::latch asked{1};
        std::latch release{1};
        std::latch done{1};
    };
    std::shared_ptr<Steps> steps_;
};

}  // namespace

TEST_CASE("A server that never answers is a timeout at the deadline") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.server().count("request");
            wire.wait_for_client();
        },
        plain_or_tls());
    const auto out = timed([&] { return stage.send(stage.put("body"), kLimit); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().code == ErrorCode::unavailable);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.answer.error().may_have_applied);
    CHECK(out.took >= kLimit);
    CHECK(out.took < kLimit + kPrompt);
    CHECK(stage.server.counted("request") == 1);
}

TEST_CASE("An answer that trickles does not put the deadline off") {
    const char* head = GENERATE("", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    Stage stage([&](Wire& wire) {
        wire.read_request();
        wire.send(head);
        while (wire.send(*head == '\0' ? "H" : "x")) {
            wire.server().count("byte");
            std::this_thread::sleep_for(milliseconds(20));
        }
    });
    constexpr milliseconds kLong = 5 * kLimit;
    const auto out = timed([&] { return stage.send(stage.request(Method::get), kLong); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK(out.took < kLong + kPrompt);
    CHECK(stage.server.counted("byte") > 3);
}

TEST_CASE("A server that does not read is a timeout that cannot have applied, and the body is left alone afterwards") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    Stage stage(
        [](Wire& wire) {
            wire.read_head();
            (void)wire.server().wait_for("given up");
            wire.skip_body(50'000'000);
        },
        options);
    const auto body = std::make_shared<PatternBody>(50'000'000);
    const auto out = timed([&] { return stage.send(put_of(stage.server.origin(), body), kLimit); });
    const int reads = body->reads();
    stage.server.count("given up");
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took < kLimit + kPrompt);
    CHECK(stage.send(stage.request(Method::get), kLimit).error().fault == TransportFault::timeout);
    CHECK(body->reads() == reads);
    CHECK(body.use_count() == 1);
}

TEST_CASE("A TLS handshake that does not come to an end is a timeout that cannot have applied") {
    WireServer server([](Wire& wire) { wire.wait_for_client(); });
    http::Origin origin = server.origin();
    origin.tls = true;
    const auto transport = make_transport(trusting()).value();
    const auto out = timed([&] { return transport->send(request_of(Method::put, origin), in(kLimit), {}); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took < kLimit + kPrompt);
    CHECK(server.connections() == 1);
}

TEST_CASE("A deadline in the past sends nothing") {
    Stage stage(answer_everything());
    const auto answer = stage.transport->send(stage.put("x"), SystemClock().now() - milliseconds(1), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::timeout);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.counted("request") == 0);
}

TEST_CASE("A lookup that hangs does not hold up the deadline, nor other hosts") {
    const HangingResolver hanging;
    http::TransportOptions options = trusting();
    options.resolver = hanging.resolver();
    Stage stage(answer_everything(), plain_or_tls(), options);
    http::Request request = stage.request(Method::put);
    request.origin.host = "slow.example";
    const auto out = timed([&] { return stage.send(request, kLimit); });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().fault == TransportFault::timeout);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took < kLimit + kPrompt);
    CHECK(stage.send(stage.request(Method::get)));  // by its address, while the lookup still hangs
}

TEST_CASE("A stop request ends a lookup that hangs") {
    const HangingResolver hanging;
    http::TransportOptions options = trusting();
    options.resolver = hanging.resolver();
    const auto transport = make_transport(options).value();
    std::stop_source stop;
    std::jthread stopper([&] {
        hanging.wait_until_asked();
        stop.request_stop();
    });
    const auto out = timed([&] {
        return transport->send(request_of(Method::get, {true, "slow.example", 443}), kNoDeadline, stop.get_token());
    });
    REQUIRE_FALSE(out.answer);
    CHECK(out.answer.error().code == ErrorCode::cancelled);
    CHECK_FALSE(out.answer.error().may_have_applied);
    CHECK(out.took < kPrompt);
}

TEST_CASE("A stop request ends the wait for an answer, and the connection") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.server().count("request");
            wire.wait_for_client();
            wire.server().count("client closed");
        },
        plain_or_tls());
    std::stop_source stop;
    std::atomic<BootTime> stopped_at{};
    std::jthread stopper([&] {
        (void)stage.server.wait_for("request");
        stopped_at = SystemClock().now();
        stop.request_stop();
    });
    const auto answer = stage.transport->send(stage.put("body"), kNoDeadline, stop.get_token());
    CHECK(SystemClock().now() - stopped_at.load() < kPrompt);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::cancelled);
    CHECK(answer.error().may_have_applied);
    CHECK(stage.server.wait_for("client closed"));
}

TEST_CASE("A stop request in the middle of a body cannot have applied, in the middle of an answer it may") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    const bool in_answer = GENERATE(false, true);
    Stage stage(
        [&](Wire& wire) {
            wire.read_head();
            if (in_answer) wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
            wire.server().count("stuck");
            wire.wait_for_client();
        },
        options);
    std::stop_source stop;
    std::jthread stopper([&] {
        (void)stage.server.wait_for("stuck");
        stop.request_stop();
    });
    const http::Request request = in_answer ? stage.request(Method::put)
                                            : put_of(stage.server.origin(), std::make_shared<PatternBody>(50'000'000));
    const auto answer = stage.transport->send(request, kNoDeadline, stop.get_token());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::cancelled);
    CHECK(answer.error().may_have_applied == in_answer);
}

TEST_CASE("A stop that was requested before sends nothing") {
    Stage stage(answer_everything());
    std::stop_source stop;
    stop.request_stop();
    const auto answer = stage.transport->send(stage.put("x"), kNoDeadline, stop.get_token());
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::cancelled);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(stage.server.counted("request") == 0);
}

TEST_CASE("After a timeout the sink is not touched again") {
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n");
            const std::string piece(10'000, 'x');
            while (wire.send(piece)) std::this_thread::sleep_for(milliseconds(1));
            wire.server().count("client closed");
        },
        plain_or_tls());
    int begun = 0;
    for (int i = 0; i < 8 || (begun == 0 && i < 200); ++i) {
        // On the heap and freed right after, so that a sanitizer sees a late access.
        auto sink = std::make_unique<KeepingSink>();
        http::Request request = stage.request(Method::get);
        request.sink = sink.get();
        const auto answer = stage.send(request, milliseconds(60 + 10 * i));
        begun += sink->begun;
        sink.reset();
        REQUIRE_FALSE(answer);
        CHECK(answer.error().fault == TransportFault::timeout);
    }
    CHECK(begun > 0);
    CHECK(stage.server.wait_for("client closed", begun));
}
