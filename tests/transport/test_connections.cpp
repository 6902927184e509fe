// Keep-alive, stale connections, many at once, descriptors.
#include <filesystem>
#include <latch>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

TEST_CASE("Requests one after the other go over one connection") {
    Stage stage(answer_everything(), plain_or_tls());
    for (int i = 0; i < 50; ++i) {
        const Method method = i % 3 == 0 ? Method::get : i % 3 == 1 ? Method::del : Method::put;
        http::Request request = stage.request(method);
        if (i % 2 == 0 && method == Method::put) request.body = http::make_body("body");
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(answer->times_sent == 1);
    }
    CHECK(stage.server.counted("request") == 50);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A connection that the server wants closed is not used again") {
    Stage stage(
        [](Wire& wire) {
            while (wire.read_request()) {
                wire.server().count("request");
                wire.answer(200, "ok", "Connection: close\r\n");
            }
        },
        plain_or_tls());
    for (int i = 0; i < 3; ++i) CHECK(stage.send(stage.put("x")));
    CHECK(stage.server.connections() == 3);
    CHECK(stage.server.counted("request") == 3);
}

TEST_CASE("A pooled connection that the server closed meanwhile goes unnoticed") {
    const bool by_reset = GENERATE(false, true);
    Stage stage(
        [&](Wire& wire) {
            if (!wire.read_request()) return;
            wire.server().count("request");
            wire.answer(200);
            if (by_reset) {
                // Waits until the client has read the answer: a reset would discard it.
                (void)wire.server().wait_for("go on", wire.number() + 1);
                wire.reset();
            } else {
                wire.close();
            }
            wire.server().count("closed");
        },
        plain_or_tls());
    const auto requests = {stage.request(Method::get), stage.put("small body"), stage.request(Method::put),
                           stage.request(Method::del),
                           put_of(stage.server.origin(), std::make_shared<PatternBody>(8'000'000))};
    int sent = 0;
    for (const http::Request& request : requests) {
        const auto answer = stage.send(request);
        REQUIRE(answer);
        CHECK(answer->times_sent == 1);
        stage.server.count("go on");
        REQUIRE(stage.server.wait_for("closed", ++sent));
    }
    CHECK(stage.server.counted("request") == 5);
    CHECK(stage.server.connections() == 5);
}

namespace {

// The first request gets an answer. The second one on the same connection is read as `read_second` says; then the
// connection breaks. Later connections work.
WireServer::Script break_second(std::function<void(Wire&)> read_second) {
    return [read_second = std::move(read_second)](Wire& wire) {
        if (!wire.read_request()) return;
        wire.server().count("request");
        wire.answer(200);
        if (wire.number() == 0) {
            read_second(wire);
            wire.server().count("broken");
            wire.reset();
            return;
        }
        while (wire.read_request()) {
            wire.server().count("request");
            wire.answer(200);
        }
    };
}

}  // namespace

TEST_CASE("A read that a dying pooled connection swallowed is sent again, and says so") {
    const Method method = GENERATE(Method::get, Method::head);
    Stage stage(break_second([](Wire& wire) { wire.read_head(); }), plain_or_tls());
    REQUIRE(stage.send(stage.request(Method::get)));
    const auto answer = stage.send(stage.request(method));
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->times_sent == 2);
    CHECK(stage.server.counted("broken") == 1);
    CHECK(stage.server.connections() == 2);
}

TEST_CASE("A write that a dying pooled connection swallowed whole is not sent again: it may have been carried out") {
    Stage stage(break_second([](Wire& wire) { wire.read_request(); }), plain_or_tls());
    REQUIRE(stage.send(stage.request(Method::get)));
    const auto request = GENERATE_COPY(values<int>({0, 1, 2, 3}));
    const auto answer = stage.send(request == 0   ? stage.request(Method::put)
                                   : request == 1 ? stage.request(Method::del)
                                   : request == 2 ? stage.request(Method::post)
                                                  : stage.put("body"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::reset);
    CHECK(answer.error().may_have_applied);
    CHECK(stage.server.counted("broken") == 1);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A write whose body a dying pooled connection did not take is sent again, unnoticed") {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 16 * 1024;
    Stage stage(break_second([](Wire& wire) {
                    wire.read_head();
                    wire.skip_body(100'000);
                }),
                options);
    REQUIRE(stage.send(stage.request(Method::get)));
    const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(20'000'000)));
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->times_sent == 1);
    CHECK(stage.server.counted("broken") == 1);
    CHECK(stage.server.connections() == 2);
}

TEST_CASE("A hundred requests at once are all answered, each with its own answer") {
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_request()) wire.answer(200, request->target);
        },
        plain_or_tls());
    constexpr int kThreads = 100;
    std::latch start(kThreads);
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                for (int round = 0; round < 5; ++round) {
                    http::Request request = i % 2 == 0 ? stage.request(Method::get) : stage.put(std::string(1000, 'x'));
                    request.path = "/c/" + std::to_string(i) + "-" + std::to_string(round);
                    const auto answer = stage.send(request);
                    if (answer && answer->body == request.path && answer->times_sent == 1) ++right;
                }
            });
        }
    }
    CHECK(right == kThreads * 5);
    CHECK(stage.server.connections() <= kThreads);
}

TEST_CASE("An IPv6 literal is a host like any other") {
    WireOptions options = plain_or_tls();
    options.ipv6 = true;
    Stage stage(
        [](Wire& wire) {
            while (auto request = wire.read_request()) wire.answer(200, request->headers.get("Host"));
        },
        options);
    const auto answer = stage.send(stage.put("x"));
    REQUIRE(answer);
    CHECK(answer->body == "[::1]:" + std::to_string(stage.server.port()));
}

TEST_CASE("No socket of a request is inherited by a child process") {
    std::atomic<int> checked{0};
    std::atomic<int> inheritable{0};
    Stage stage(
        [&](Wire& wire) {
            while (wire.read_request()) {
                // The server's own sockets are close-on-exec, too, so the test can look at all sockets of the process.
                for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
                    const int fd = std::stoi(entry.path().filename());
                    struct stat info {};
                    if (::fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) continue;
                    ++checked;
                    if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) ++inheritable;
                }
                wire.answer(200);
            }
        },
        plain_or_tls());
    REQUIRE(stage.send(stage.request(Method::get)));
    CHECK(checked >= 3);
    CHECK(inheritable == 0);
}

TEST_CASE("Connections are closed with the transport") {
    WireServer server(
        [](Wire& wire) {
            while (wire.read_request()) wire.answer(200);
            wire.server().count("client closed");
        },
        {});
    {
        const auto transport = make_transport(trusting()).value();
        REQUIRE(transport->send(request_of(Method::get, server.origin()), in(kAmple), {}));
        CHECK(server.counted("client closed") == 0);
    }
    CHECK(server.wait_for("client closed"));
}
