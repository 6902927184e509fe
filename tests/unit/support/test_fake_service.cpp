// Tests of the fake service itself: what the conformance suite cannot see (log, counts, sinks, threads, options).
#include <thread>

#include "base/encoding.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_service.hpp"
#include "support/raw_request.hpp"

namespace azlock::test {
namespace {

struct World {
    explicit World(FakeOptions options = {}) : service(clock, std::move(options)), client(service, clock) {
        service.make_container("box");
    }
    FakeClock clock;
    FakeService service;
    RawClient client;
};

class CollectingSink final : public http::BodySink {
  public:
    bool begin(const http::Response& head) override {
        status = head.status;
        body.clear();
        return head.status < 300;
    }
    Status write(ByteView data) override {
        if (refuse) return fail(ErrorCode::io, "the disk is full");
        for (const std::byte b : data) body += static_cast<char>(b);
        return {};
    }
    int status = 0;
    std::string body;
    bool refuse = false;
};

class BrokenBody final : public http::Body {
  public:
    [[nodiscard]] std::uint64_t size() const override { return 10; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t, std::span<std::byte>) const override {
        return fail(ErrorCode::input_missing, "gone");
    }
};

const std::vector<std::pair<std::string, std::string>> kBlock = {{"x-ms-blob-type", "BlockBlob"}};

}  // namespace

TEST_CASE("every request is counted by operation and logged without its secret") {
    FakeOptions options;
    options.sas = "sv=2023-11-03&sig=abc%3D";
    World w(options);
    REQUIRE(outcome(w.client.put({.path = "box/a", .headers = kBlock, .body = "hello"})) == "201 ");
    REQUIRE(outcome(w.client.get({.path = "box/missing"})) == "404 BlobNotFound");
    auto with_sas = w.client.make(http::Method::get, {.path = "box/a"});
    with_sas.headers.remove("Authorization");
    with_sas.secret_query = Secret("sv=2023-11-03&sig=abc%3D");
    REQUIRE(w.client.send(with_sas).body == "hello");

    CHECK(w.service.requests() == 3);
    CHECK(w.service.requests("Get Blob") == 2);
    CHECK(w.service.operations() == std::vector<std::string>{"Put Blob", "Get Blob", "Get Blob"});
    const auto log = w.service.log();
    CHECK(log[0].body_size == 5);
    CHECK(log[0].headers.get("x-ms-blob-type") == "BlockBlob");
    CHECK(log[1].status == 404);
    CHECK(log[1].service_code == "BlobNotFound");
    CHECK(log[2].target.find("abc") == std::string::npos);
    w.service.clear_log();
    CHECK(w.service.requests() == 0);
}

TEST_CASE("a body goes to the sink if it takes it and into the response if not") {
    World w;
    w.service.put("box", "a", std::string(200'000, 'x'));
    CollectingSink sink;
    auto request = w.client.make(http::Method::get, {.path = "box/a"});
    request.sink = &sink;
    auto response = w.client.send(request);
    CHECK(response.body.empty());
    CHECK(sink.body == std::string(200'000, 'x'));

    auto missing = w.client.make(http::Method::get, {.path = "box/none"});
    missing.sink = &sink;
    response = w.client.send(missing);
    CHECK(sink.status == 404);
    CHECK(sink.body.empty());
    CHECK(response.body.find("<Code>BlobNotFound</Code>") != std::string::npos);
}

TEST_CASE("a failing sink or body is what send returns, marked as our own side's fault") {
    World w;
    w.service.put("box", "a", "content");
    CollectingSink sink;
    sink.refuse = true;
    auto get = w.client.make(http::Method::get, {.path = "box/a"});
    get.sink = &sink;
    const auto down = w.service.send(get, kNoDeadline, {});
    REQUIRE(!down);
    CHECK(down.error().code == ErrorCode::io);
    CHECK(down.error().fault == TransportFault::local_body);

    auto put = w.client.make(http::Method::put, {.path = "box/b", .headers = kBlock});
    put.body = std::make_shared<BrokenBody>();
    fake::sign(put, kFakeAccount, kFakeKey, w.clock.wall());
    const auto up = w.service.send(put, kNoDeadline, {});
    REQUIRE(!up);
    CHECK(up.error().code == ErrorCode::input_missing);
    CHECK(up.error().fault == TransportFault::local_body);
    CHECK(!up.error().may_have_applied);
    CHECK(!w.service.peek("box", "b"));
}

TEST_CASE("nothing is sent after the deadline or after a stop") {
    World w;
    const auto request = w.client.make(http::Method::put, {.path = "box/a", .headers = kBlock});
    const auto late = w.service.send(request, w.clock.now(), {});
    REQUIRE(!late);
    CHECK(late.error().fault == TransportFault::timeout);
    std::stop_source source;
    source.request_stop();
    const auto stopped = w.service.send(request, kNoDeadline, source.get_token());
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    CHECK(w.service.requests() == 0);
}

TEST_CASE("the account is in the path of a literal address and in the first label of a name") {
    World w;
    w.service.put("box", "a", "content");
    Endpoint host_style{{true, "devstoreaccount1.blob.core.windows.net", 443}, "", kFakeAccount, kFakeKey};
    CHECK(RawClient(w.service, w.clock, host_style).get({.path = "box/a"}).body == "content");
    host_style.origin.host = "devstoreaccount1-secondary.blob.core.windows.net";
    const RawClient secondary(w.service, w.clock, host_style);
    CHECK(secondary.get({.path = "box/a"}).body == "content");
    CHECK(outcome(secondary.put({.path = "box/b", .headers = kBlock})) == "403 InsufficientAccountPermissions");
    host_style.origin.host = "nobody.blob.core.windows.net";
    const RawClient nobody(w.service, w.clock, host_style);
    const auto answer = w.service.send(nobody.make(http::Method::get, {.path = "box/a"}), kNoDeadline, {});
    REQUIRE(!answer);
    CHECK(answer.error().fault == TransportFault::resolve);
}

TEST_CASE("many threads may write at once and no ETag is given twice") {
    World w;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&w, t] {
                for (int i = 0; i < 50; ++i) {
                    w.client.put({.path = "box/b" + std::to_string(t * 50 + i), .headers = kBlock, .body = "x"});
                }
            });
        }
    }
    std::map<std::string, int> etags;
    for (int i = 0; i < 200; ++i) {
        const auto view = w.service.peek("box", "b" + std::to_string(i));
        REQUIRE(view);
        ++etags[view->etag];
    }
    CHECK(etags.size() == 200);
    CHECK(w.service.requests("Put Blob") == 200);
}

TEST_CASE("the limits of a test replace those of the service") {
    FakeOptions options;
    options.limits.put_block = 10;
    options.limits.uncommitted_blocks = 2;
    options.limits.committed_blocks = 2;
    World w(options);
    const auto stage = [&](const std::string& id, const std::string& bytes) {
        return w.client.put({.path = "box/a", .query = {{"comp", "block"}, {"blockid", id}}, .body = bytes});
    };
    const auto too_big = stage("MDAx", "12345678901");
    CHECK(outcome(too_big) == "413 RequestBodyTooLarge");
    CHECK(too_big.early);
    CHECK(outcome(stage("MDAx", "1")) == "201 ");
    CHECK(outcome(stage("MDAy", "2")) == "201 ");
    CHECK(outcome(stage("MDAy", "2 again")) == "201 ");
    CHECK(outcome(stage("MDAz", "3")) == "409 BlockCountExceedsLimit");
    const std::string list = "<BlockList><Latest>MDAx</Latest><Latest>MDAx</Latest><Latest>MDAx</Latest></BlockList>";
    CHECK(outcome(w.client.put({.path = "box/a", .query = {{"comp", "blocklist"}}, .body = list})) ==
          "400 BlockListTooLong");
}

TEST_CASE("staged blocks are dropped a week after the last one") {
    World w;
    w.service.stage("box", "a", "MDAx", "one");
    w.clock.advance(std::chrono::hours(7 * 24));
    CHECK(w.service.peek("box", "a"));
    w.clock.advance(std::chrono::seconds(1));
    CHECK(!w.service.peek("box", "a"));
}

TEST_CASE("a service that lists in short or empty pages still lists everything") {
    FakeOptions options;
    options.list_page_limit = 2;
    options.list_starts_empty = true;
    World w(options);
    for (const char* name : {"a", "b", "c"}) w.service.put("box", name, name);
    std::string marker;
    std::vector<std::size_t> sizes;
    do {
        auto xml =
            w.client.get({.path = "box", .query = {{"restype", "container"}, {"comp", "list"}, {"marker", marker}}});
        std::size_t count = 0;
        for (auto at = xml.body.find("<Blob>"); at != std::string::npos; at = xml.body.find("<Blob>", at + 1)) ++count;
        sizes.push_back(count);
        const auto begin = xml.body.find("<NextMarker>");
        marker =
            begin == std::string::npos ? "" : xml.body.substr(begin + 12, xml.body.find("</NextMarker>") - begin - 12);
    } while (!marker.empty() && sizes.size() < 10);
    CHECK(sizes == std::vector<std::size_t>{0, 2, 1});
}

TEST_CASE("a service whose clock is ahead refuses a date that is more than 15 minutes off") {
    FakeOptions options;
    options.wall_ahead = std::chrono::minutes(16);
    World w(options);
    const auto refused = w.client.get({.path = "box/a"});
    CHECK(outcome(refused) == "403 AuthenticationFailed");
    CHECK(refused.body.find("<AuthenticationErrorDetail>Request date header too old: ") != std::string::npos);
    w.clock.step_wall(std::chrono::minutes(2));
    CHECK(outcome(w.client.get({.path = "box/a"})) == "403 AuthenticationFailed");
    options.wall_ahead = std::chrono::minutes(-14);
    World near(options);
    CHECK(outcome(near.client.get({.path = "box/a"})) == "404 BlobNotFound");
}

TEST_CASE("an append blob takes as many appends as the limit allows") {
    FakeOptions options;
    options.limits.committed_blocks = 2;
    World w(options);
    REQUIRE(outcome(w.client.put({.path = "box/log", .headers = {{"x-ms-blob-type", "AppendBlob"}}})) == "201 ");
    const auto append = [&] {
        return outcome(w.client.put({.path = "box/log", .query = {{"comp", "appendblock"}}, .body = "x"}));
    };
    CHECK(append() == "201 ");
    CHECK(append() == "201 ");
    CHECK(append() == "409 BlockCountExceedsLimit");
}

TEST_CASE("a deleted container's name can be used again after a while") {
    World w;
    const Ask box = {.path = "box", .query = {{"restype", "container"}}};
    CHECK(outcome(w.client.del(box)) == "202 ");
    w.clock.advance(std::chrono::seconds(29));
    CHECK(outcome(w.client.put(box)) == "409 ContainerBeingDeleted");
    w.clock.advance(std::chrono::seconds(1));
    CHECK(outcome(w.client.put(box)) == "201 ");
}

TEST_CASE("whether staged blocks refuse create-if-absent by Put Blob is the test's choice") {
    for (const bool refuse : {false, true}) {
        FakeOptions options;
        options.staged_blocks_refuse_create = refuse;
        World w(options);
        w.service.stage("box", "a", "MDAx", "one");
        auto headers = kBlock;
        headers.emplace_back("If-None-Match", "*");
        CHECK(outcome(w.client.put({.path = "box/a", .headers = headers, .body = "x"})) ==
              (refuse ? "409 BlobAlreadyExists" : "201 "));
    }
}

TEST_CASE("a public container is read without credentials, and nothing else is") {
    World w;
    const auto anonymous = [&](http::Method method, const Ask& ask) {
        auto request = w.client.make(method, ask);
        request.headers.remove("Authorization");
        return outcome(w.client.send(request));
    };
    const Ask open = {
        .path = "open", .query = {{"restype", "container"}}, .headers = {{"x-ms-blob-public-access", "blob"}}};
    REQUIRE(outcome(w.client.put(open)) == "201 ");
    w.service.put("open", "a", "x");
    w.service.put("box", "a", "x");
    const std::string refused = "401 NoAuthenticationInformation";
    CHECK(anonymous(http::Method::get, {.path = "open/a"}) == "200 ");
    CHECK(anonymous(http::Method::put, {.path = "open/a", .headers = kBlock}) == refused);
    CHECK(anonymous(http::Method::get, {.path = "open", .query = {{"restype", "container"}, {"comp", "list"}}}) ==
          refused);
    CHECK(anonymous(http::Method::get, {.path = "box/a"}) == refused);
}

TEST_CASE("another SAS than the configured one is refused") {
    FakeOptions options;
    options.sas = "sv=2023-11-03&sig=right";
    World w(options);
    auto request = w.client.make(http::Method::get, {.path = "box/a"});
    request.headers.remove("Authorization");
    request.secret_query = Secret("sv=2023-11-03&sig=wrong");
    CHECK(outcome(w.client.send(request)) == "403 AuthenticationFailed");
}

TEST_CASE("what a test does behind the service's back counts as somebody else's write") {
    World w;
    w.service.put("box", "a", "one");
    const auto before = w.service.peek("box", "a");
    REQUIRE(before);
    w.service.put("box", "a", "two");
    CHECK(w.service.peek("box", "a")->etag != before->etag);
    CHECK(w.client.get({.path = "box/a"}).body == "two");
    w.service.stage("box", "a", "MDAx", "one");
    CHECK(w.service.peek("box", "a")->staged_ids == std::vector<std::string>{"MDAx"});
    w.service.erase("box", "a");
    CHECK(!w.service.peek("box", "a"));
}

}  // namespace azlock::test
