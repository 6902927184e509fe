// A watch sees every change that lasts, reports a deletion, and goes on after an outage.
#include <span>

#include "base/file.hpp"
#include "ops/read/blob_watch.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using Kind = WatchEvent::Kind;
using std::chrono::seconds;
using test::Rig;
using test::why;

constexpr seconds kInterval{10};

std::string content_of(const WatchEvent& event) {
    if (!event.content) return {};
    std::string out(event.content->appended(), '\0');
    const Fd fd = event.content->reader().value();
    REQUIRE(read_full(fd.get(), std::as_writable_bytes(std::span(out)), "content").value() == out.size());
    return out;
}

struct Watch {
    explicit Watch(bool there = true) {
        if (there) put("one");
    }
    WatchEvent next(const azure::Call& call = {}) {
        auto event = watch.next(call);
        INFO(why(event));
        REQUIRE(event);
        return *event;
    }
    void put(const std::string& content) { rig.service.put("box", "data", content); }
    [[nodiscard]] std::string etag() { return '"' + rig.view().etag + '"'; }
    // Runs `action` before the n-th look, counted from now.
    void before_look(std::size_t n, std::function<void()> action) {
        rig.faulty.on("Get Blob").nth(n).meanwhile(std::move(action));
    }

    Rig rig;
    BlobWatch watch{rig.us.client(), rig.blob, kInterval};
};

}  // namespace

TEST_CASE("the version that is there at the start counts as seen, and costs no download") {
    Watch w;
    const WatchEvent first = w.next();
    CHECK(first.kind == Kind::watching);
    CHECK(first.etag == w.etag());
    CHECK(w.rig.service.operations() == std::vector<std::string>{"Get Blob Properties"});
}

TEST_CASE("a change is told once, with the new content, for one small request in each interval before") {
    Watch w;
    (void)w.next();
    w.before_look(4, [&] { w.put("two"); });
    const WatchEvent event = w.next();
    CHECK(event.kind == Kind::changed);
    CHECK(event.etag == w.etag());
    CHECK(event.bytes == 3);
    CHECK(content_of(event) == "two");
    CHECK(w.rig.service.requests("Get Blob") == 4);
    CHECK(w.rig.done("Get Blob") == 1);
    for (const auto wait : w.rig.clock.waits()) {
        CHECK(wait >= kInterval * 9 / 10);
        CHECK(wait <= kInterval * 11 / 10);
    }
    CHECK(w.rig.clock.waits().size() == 4);
}

TEST_CASE("a change that happens while the caller is busy is told at once afterwards") {
    Watch w;
    (void)w.next();
    w.put("two");
    CHECK(w.next().kind == Kind::changed);
    w.put("three");
    w.put("four");
    w.rig.clock.advance(seconds(100));
    const BootTime before = w.rig.clock.now();
    CHECK(content_of(w.next()) == "four");
    CHECK(w.rig.clock.now() == before);
}

TEST_CASE("a version that was seen by an earlier watch is no change, any other is") {
    Watch w;
    SECTION("another") {
        w.watch.set_seen("\"0x1\"");
        CHECK(content_of(w.next()) == "one");
    }
    SECTION("none") {
        w.watch.set_seen("");
        CHECK(w.next().kind == Kind::changed);
    }
    SECTION("this one") {
        w.watch.set_seen(w.etag());
        w.before_look(3, [&] { w.put("two"); });
        CHECK(content_of(w.next()) == "two");
    }
}

TEST_CASE("a blob is awaited, its deletion is told once, and so is what is made in its place") {
    Watch w(false);
    const WatchEvent first = w.next();
    CHECK(first.kind == Kind::watching);
    CHECK(first.etag.empty());
    w.before_look(3, [&] { w.put("one"); });
    const WatchEvent made = w.next();
    CHECK(made.kind == Kind::changed);
    w.before_look(2, [&] { w.rig.service.erase("box", "data"); });
    const WatchEvent gone = w.next();
    CHECK(gone.kind == Kind::deleted);
    CHECK(gone.etag == made.etag);
    w.before_look(3, [&] { w.put("one"); });
    CHECK(w.next().kind == Kind::changed);
    CHECK(w.rig.service.requests("Get Blob") == 8);
}

TEST_CASE("an empty blob is a version like any other") {
    Watch w;
    (void)w.next();
    w.put("");
    const WatchEvent event = w.next();
    CHECK(event.kind == Kind::changed);
    CHECK(event.bytes == 0);
    CHECK(!event.content);
    w.rig.clock.advance(seconds(1));
    w.put("two");
    CHECK(content_of(w.next()) == "two");
}

TEST_CASE("an outage is told at each look that it spoils, at growing distances, and then its end") {
    Watch w;
    (void)w.next();
    w.rig.faulty.on("Get Blob").nth(1, 60).fail_before();  // six attempts for each look
    std::chrono::nanoseconds longest{0};
    for (int i = 0; i < 10; ++i) {
        const WatchEvent event = w.next();
        CHECK(event.kind == Kind::trouble);
        CHECK(event.error.code == ErrorCode::unavailable);
        CHECK(event.etag == w.etag());
        CHECK(event.pause >= kInterval);
        CHECK(event.pause <= seconds(60));
        longest = std::max(longest, event.pause);
    }
    CHECK(longest > 2 * kInterval);
    CHECK(w.next().kind == Kind::recovered);
    w.put("two");
    CHECK(w.next().kind == Kind::changed);
}

TEST_CASE("what changed in an outage is told when it is over") {
    Watch w;
    (void)w.next();
    w.rig.faulty.on("Get Blob").nth(1, 6).fail_before();
    CHECK(w.next().kind == Kind::trouble);
    w.put("two");
    CHECK(content_of(w.next()) == "two");
}

TEST_CASE("an outage at the first look is not taken for a blob that is not there") {
    Watch w;
    w.rig.faulty.on("Get Blob Properties").nth(1, 6).fail_before();
    CHECK(w.next().kind == Kind::trouble);
    const WatchEvent event = w.next();
    CHECK(event.kind == Kind::watching);
    CHECK(event.etag == w.etag());
}

TEST_CASE("a stray page of a proxy is weather after the service has answered, and the end before") {
    const auto page = [](int status) {
        http::Response response;
        response.status = status;
        response.headers.set("Content-Type", "text/html");
        response.body = "<html>Please sign in</html>";
        return response;
    };
    for (const int status : {302, 403, 404}) {
        Watch w;
        (void)w.next();
        w.rig.faulty.on("Get Blob").nth(2, 6).return_response(page(status));  // all attempts of a look
        const WatchEvent event = w.next();
        CHECK(event.kind == Kind::trouble);
        CHECK(event.error.http_status == status);
        CHECK(w.next().kind == Kind::recovered);
        Watch first;
        first.rig.faulty.on("Get Blob Properties").from(1).return_response(page(status));
        const auto refused = first.watch.next({});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::unavailable);
    }
}

TEST_CASE("a refusal ends the watch, and so do the stop and the deadline") {
    Watch w;
    (void)w.next();
    SECTION("no right") {
        w.rig.faulty.on("Get Blob").nth(1).return_status(403, "AuthorizationPermissionMismatch");
        const auto event = w.watch.next({});
        REQUIRE(!event);
        CHECK(event.error().code == ErrorCode::auth);
    }
    SECTION("stop") {
        std::stop_source stop;
        stop.request_stop();
        const auto event = w.watch.next({kNoDeadline, stop.get_token()});
        REQUIRE(!event);
        CHECK(event.error().code == ErrorCode::cancelled);
    }
    SECTION("deadline while nothing happens") {
        const Deadline deadline = w.rig.clock.after(seconds(35));
        const auto event = w.watch.next({deadline, {}});
        REQUIRE(!event);
        CHECK(event.error().code == ErrorCode::unavailable);
        CHECK(w.rig.clock.now() == deadline);
    }
    SECTION("deadline in an outage") {
        w.rig.faulty.on("Get Blob").from(1).fail_before();
        const azure::Call call{w.rig.clock.after(seconds(100)), {}};
        auto event = w.watch.next(call);
        while (event) event = w.watch.next(call);
        CHECK(w.rig.clock.now() <= call.deadline);
        CHECK(event.error().code == ErrorCode::unavailable);
    }
    SECTION("deadline during a look: the service that answered so far is not blamed") {
        w.rig.faulty.on("Get Blob").nth(2).stall(false);
        const auto event = w.watch.next({w.rig.clock.after(seconds(35)), {}});
        REQUIRE(!event);
        CHECK(event.error().code == ErrorCode::unavailable);
        CHECK(event.error().message == "the deadline passed (--timeout)");
        CHECK(event.error().target == "box/data");
    }
}

TEST_CASE("if nothing answers until the deadline, the error says so, too") {
    Watch w;
    w.rig.faulty.on("Get Blob Properties").from(1).stall(false);
    const azure::Call call{w.rig.clock.after(seconds(35)), {}};
    auto event = w.watch.next(call);
    while (event) event = w.watch.next(call);
    CHECK(event.error().code == ErrorCode::unavailable);
    CHECK(event.error().fault == TransportFault::timeout);
    CHECK(event.error().message.starts_with("the deadline passed (--timeout): "));
}

}  // namespace azlock::ops
