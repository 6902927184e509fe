// An OutageWatch tells when the service cannot be reached for a while, and when it answers again.
#include <string>
#include <vector>

#include "ops/transfer/outage_watch.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;

struct Counting final : azure::Observer {
    void answered(const azure::Operation& /*op*/, const http::Response& /*answer*/,
                  std::chrono::nanoseconds /*took*/) override {
        ++answers;
    }
    void failed(const azure::Operation& /*op*/, const Error& /*error*/) override { ++failures; }
    void retrying(const azure::Operation& /*op*/, const Error& /*why*/, std::chrono::milliseconds /*wait*/) override {
        ++retries;
    }
    int answers = 0;
    int failures = 0;
    int retries = 0;
};

struct WatchRig {
    void fails(std::chrono::milliseconds wait) {
        watch.failed({}, why);
        watch.retrying({}, why, wait);
        clock.advance(wait);
    }
    void answers(int status) {
        http::Response answer;
        answer.status = status;
        watch.answered({}, answer, {});
    }

    test::FakeClock clock;
    Counting next;
    Error why = make_error(ErrorCode::unavailable, "refused");
    std::vector<std::string> told;
    OutageWatch watch{
        clock,
        &next,
        {[this](const Error& error) { told.push_back("began: " + error.message); },
         [this](std::chrono::nanoseconds lasted) { told.push_back("ended after " + std::to_string(lasted / 1s)); }}};
};

}  // namespace

TEST_CASE("an outage is told once when it lasts, and when it is over") {
    WatchRig rig;
    for (int i = 0; i < 10; ++i) rig.fails(1s);
    CHECK(rig.told == std::vector<std::string>{"began: refused"});
    rig.answers(503);  // that is no end
    CHECK(rig.told.size() == 1);
    rig.answers(404);
    REQUIRE(rig.told.size() == 2);
    CHECK(rig.told[1] == "ended after 10");
    rig.fails(5s);
    CHECK(rig.told.size() == 3);
}

TEST_CASE("a failure that is over at once is not told") {
    WatchRig rig;
    for (int i = 0; i < 10; ++i) {
        rig.fails(500ms);
        rig.answers(201);
    }
    CHECK(rig.told.empty());
}

TEST_CASE("the next observer sees all that the watch sees") {
    WatchRig rig;
    rig.fails(500ms);
    rig.answers(201);
    rig.answers(503);
    CHECK(rig.next.answers == 2);
    CHECK(rig.next.failures == 1);
    CHECK(rig.next.retries == 1);
}

}  // namespace azlock::ops
