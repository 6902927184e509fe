// Each fault does what its name says to the service, the clock and the caller; one that does not fire is reported.
#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_service.hpp"
#include "support/faulty_transport.hpp"
#include "support/raw_request.hpp"

namespace azlock::test {
namespace {

using std::chrono::seconds;

struct World {
    World() { service.make_container("box"); }

    [[nodiscard]] http::Request put(const std::string& blob, const std::string& content) const {
        return raw.make(http::Method::put,
                        {.path = "box/" + blob, .headers = {{"x-ms-blob-type", "BlockBlob"}}, .body = content});
    }
    [[nodiscard]] http::Request get(const std::string& blob) const {
        return raw.make(http::Method::get, {.path = "box/" + blob});
    }
    Result<http::Response> send(const http::Request& request, seconds budget = seconds(30)) {
        return faulty.send(request, clock.after(budget), {});
    }

    FakeClock clock;
    FakeService service{clock};
    FaultyTransport faulty{service, clock};
    RawClient raw{service, clock};
};

struct Sink final : http::BodySink {
    bool begin(const http::Response& head) override {
        ++begun;
        status = head.status;
        body.clear();
        return head.status < 300;
    }
    Status write(ByteView data) override {
        for (const std::byte b : data) body += static_cast<char>(b);
        return {};
    }
    int begun = 0;
    int status = 0;
    std::string body;
};

}  // namespace

TEST_CASE("a request that fails before it is sent is not carried out, and the caller knows") {
    World w;
    w.faulty.on("Put Blob").nth(2).fail_before();
    CHECK(w.send(w.put("a", "1")));
    const auto failed = w.send(w.put("a", "2"));
    REQUIRE(!failed);
    CHECK(failed.error().fault == TransportFault::connect);
    CHECK(!failed.error().may_have_applied);
    CHECK(w.service.content("box", "a") == "1");
    CHECK(w.send(w.put("a", "3")));
    CHECK(w.faulty.requests("Put Blob") == 3);
    CHECK(w.service.requests("Put Blob") == 2);
}

TEST_CASE("a dropped reply is carried out and a lost request is not, but both may have been") {
    World w;
    w.faulty.on("Put Blob").nth(1).drop_reply();
    w.faulty.on("Put Blob").nth(2).lose_request();
    for (const char* blob : {"dropped", "lost"}) {
        const auto failed = w.send(w.put(blob, "x"));
        REQUIRE(!failed);
        CHECK(failed.error().fault == TransportFault::reset);
        CHECK(failed.error().may_have_applied);
    }
    CHECK(w.service.content("box", "dropped") == "x");
    CHECK(!w.service.peek("box", "lost"));
}

TEST_CASE("a dropped reply shows the caller's sink nothing") {
    World w;
    w.service.put("box", "a", "content");
    w.faulty.on("Get Blob").drop_reply();
    Sink sink;
    auto request = w.get("a");
    request.sink = &sink;
    CHECK(!w.send(request));
    CHECK(sink.begun == 0);
}

TEST_CASE("an outage begins where the script says and has no end") {
    World w;
    w.faulty.on("Put Blob").from(2).fail_before(TransportFault::resolve);
    CHECK(w.send(w.put("a", "1")));
    for (int i = 0; i < 3; ++i) CHECK(!w.send(w.put("a", "2")));
    CHECK(w.service.content("box", "a") == "1");
}

TEST_CASE("a scripted status is an answer with its code and Retry-After, and nothing is carried out") {
    World w;
    w.faulty.on("Put Blob").nth(1, 2).return_status(503, "ServerBusy", seconds(7));
    for (int i = 0; i < 2; ++i) {
        const auto busy = w.send(w.put("a", "x"));
        REQUIRE(busy);
        CHECK(outcome(*busy) == "503 ServerBusy");
        CHECK(busy->headers.get("Retry-After") == "7");
    }
    CHECK(!w.service.peek("box", "a"));
    CHECK(w.send(w.put("a", "x"))->status == 201);
}

TEST_CASE("a stalled request ends at its deadline, carried out or not") {
    World w;
    w.faulty.on("Put Blob").nth(1).stall(true);
    w.faulty.on("Put Blob").nth(2).stall(false);
    for (const char* blob : {"applied", "not"}) {
        const BootTime before = w.clock.now();
        const auto failed = w.send(w.put(blob, "x"), seconds(5));
        REQUIRE(!failed);
        CHECK(failed.error().fault == TransportFault::timeout);
        CHECK(failed.error().may_have_applied);
        CHECK(w.clock.now() - before == seconds(5));
    }
    CHECK(w.service.peek("box", "applied"));
    CHECK(!w.service.peek("box", "not"));
}

TEST_CASE("a stall of a request without a deadline fails the test") {
    World w;
    std::vector<std::string> reports;
    w.faulty.report_to([&](const std::string& what) { reports.push_back(what); });
    w.faulty.on("Get Blob").stall(false);
    CHECK(!w.faulty.send(w.get("a"), kNoDeadline, {}));
    CHECK(reports.size() == 1);
}

TEST_CASE("a truncated answer gives the sink its beginning and the caller a reset") {
    World w;
    w.service.put("box", "a", "0123456789");
    w.faulty.on("Get Blob").nth(1, 2).truncate(4);
    Sink sink;
    auto request = w.get("a");
    request.sink = &sink;
    const auto cut = w.send(request);
    REQUIRE(!cut);
    CHECK(cut.error().fault == TransportFault::reset);
    CHECK(sink.body == "0123");
    CHECK(!w.send(w.get("a")));
    CHECK(w.send(request));
    CHECK(sink.body == "0123456789");
}

TEST_CASE("a silent replay carries the request out twice and says so") {
    World w;
    const auto create =
        w.raw.make(http::Method::put, {.path = "box/log", .headers = {{"x-ms-blob-type", "AppendBlob"}}});
    REQUIRE(w.send(create));
    w.faulty.on("Append Block").silent_replay();
    const auto append =
        w.raw.make(http::Method::put, {.path = "box/log", .query = {{"comp", "appendblock"}}, .body = "line\n"});
    const auto answer = w.send(append);
    REQUIRE(answer);
    CHECK(answer->times_sent == 2);
    CHECK(answer->headers.get("x-ms-blob-append-offset") == "5");
    CHECK(w.service.content("box", "log") == "line\nline\n");
}

TEST_CASE("a late request is carried out after a later one that matches") {
    World w;
    w.faulty.on("Put Blob").arrive_late(operation("Put Blob"));
    CHECK(!w.send(w.put("a", "old")));
    CHECK(!w.service.peek("box", "a"));
    CHECK(w.send(w.get("a"))->status == 404);
    CHECK(!w.service.peek("box", "a"));
    CHECK(w.send(w.put("a", "new")));
    CHECK(w.service.content("box", "a") == "old");
}

TEST_CASE("a late request comes after the later one also where that one has a fault of its own") {
    World w;
    w.faulty.on("Put Blob").nth(1).arrive_late();
    w.faulty.on("Put Blob").nth(2).drop_reply();
    CHECK(!w.send(w.put("a", "old")));
    CHECK(!w.send(w.put("a", "new")));
    CHECK(w.service.content("box", "a") == "old");
}

TEST_CASE("a delay moves the clock before and after the service sees the request") {
    World w;
    w.faulty.on("Put Blob").nth(1).delay(seconds(3), seconds(2));
    const BootTime start = w.clock.now();
    CHECK(w.send(w.put("a", "x")));
    CHECK(w.clock.now() - start == seconds(5));

    w.faulty.on("Put Blob").nth(1).delay(seconds(1), seconds(10));  // counts from here on
    const auto late = w.send(w.put("b", "x"), seconds(4));
    REQUIRE(!late);
    CHECK(late.error().fault == TransportFault::timeout);
    CHECK(w.clock.now() - start == seconds(9));
    CHECK(w.service.peek("box", "b"));
}

TEST_CASE("something can happen between two requests") {
    World w;
    w.faulty.on("Get Blob").nth(2).meanwhile([&] { w.service.put("box", "a", "theirs"); });
    w.faulty.on("Get Blob").nth(3).afterwards([&] { w.service.erase("box", "a"); });
    w.service.put("box", "a", "ours");
    CHECK(w.send(w.get("a"))->body == "ours");
    CHECK(w.send(w.get("a"))->body == "theirs");
    CHECK(w.send(w.get("a"))->body == "theirs");
    CHECK(w.send(w.get("a"))->status == 404);
}

TEST_CASE("lease actions can be told apart") {
    World w;
    w.service.put("box", "a", "x");
    w.faulty.on(lease_action("renew"), "renew").fail_before();
    const std::string id = "11111111-2222-3333-4444-555555555555";
    const auto lease = [&](std::vector<std::pair<std::string, std::string>> headers) {
        return w.send(
            w.raw.make(http::Method::put, {.path = "box/a", .query = {{"comp", "lease"}}, .headers = headers}));
    };
    CHECK(lease({{"x-ms-lease-action", "acquire"}, {"x-ms-lease-duration", "15"}, {"x-ms-proposed-lease-id", id}}));
    CHECK(!lease({{"x-ms-lease-action", "renew"}, {"x-ms-lease-id", id}}));
    CHECK(lease({{"x-ms-lease-action", "renew"}, {"x-ms-lease-id", id}})->status == 200);
}

TEST_CASE("a fault that never fires is reported once, by name and count, at the latest when the transport goes") {
    FakeClock clock;
    FakeService service(clock);
    std::vector<std::string> reports;
    {
        FaultyTransport faulty(service, clock);
        faulty.report_to([&](const std::string& what) { reports.push_back(what); });
        faulty.on("Put Block").nth(2).drop_reply();
        faulty.on("Put Blob").from(1).fail_before();
        CHECK(faulty.unfired().size() == 2);
        faulty.expect_all_fired();
        CHECK(reports.size() == 2);
        CHECK(reports.at(0) == "scripted fault did not fire: drop_reply on Put Block number 2: fired 0 of 1, seen 0");
        faulty.on("Get Blob").lose_request();
    }
    CHECK(reports.size() == 3);
}

TEST_CASE("a late request that never arrived and a rule without a fault are reported too") {
    World w;
    std::vector<std::string> reports;
    w.faulty.report_to([&](const std::string& what) { reports.push_back(what); });
    w.faulty.on("Put Blob").arrive_late();
    w.faulty.on("Get Blob").nth(3);
    CHECK(!w.send(w.put("a", "x")));
    w.faulty.expect_all_fired();
    REQUIRE(reports.size() == 2);
    CHECK(reports[0].find("a rule without a fault") != std::string::npos);
    CHECK(reports[1].find("never arrived") != std::string::npos);
}

TEST_CASE("faults hit exactly as many of parallel requests as the script says") {
    World w;
    w.faulty.on("Put Blob").nth(3, 5).lose_request();
    std::atomic<int> lost = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 10; ++i) {
                    if (!w.send(w.put("b" + std::to_string(t) + std::to_string(i), "x"))) ++lost;
                }
            });
        }
    }
    CHECK(lost == 5);
    CHECK(w.service.requests("Put Blob") == 35);
}

}  // namespace azlock::test
