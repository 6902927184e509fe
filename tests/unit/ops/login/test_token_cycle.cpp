// ops/login/token_cycle: when tokens are fetched, and who waits for them.
#include <atomic>
#include <new>
#include <set>

#include "ops/login/token_cycle.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/seeded_random.hpp"
#include "unit/eventually.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;
using test::eventually;

namespace {

// Tokens "1", "2", ... that live as long as the test says. While it is closed, a fetch waits in it.
struct Desk {
    test::FakeClock& clock;
    std::atomic<bool> open{true};
    std::atomic<int> asked{0};
    std::atomic<int> ended{0};
    std::chrono::nanoseconds life = 1h;
    std::optional<std::chrono::nanoseconds> refresh = {};
    std::optional<Error> error = {};
    bool memory = true;  // else there is none
};

class DeskSource final : public TokenSource {
  public:
    explicit DeskSource(Desk& desk) : desk_(desk) {}
    Result<Token> fetch(Deadline, const std::stop_token& stop) override {
        const int number = ++desk_.asked;
        const BootTime asked = desk_.clock.now();
        while (!desk_.open && !stop.stop_requested()) std::this_thread::yield();
        ++desk_.ended;
        if (!desk_.memory) throw std::bad_alloc();
        if (stop.stop_requested()) return fail(stopped_by_signal());
        if (desk_.error) return fail(*desk_.error);
        Token token{Secret(std::to_string(number)), asked, asked + desk_.life, {}};
        if (desk_.refresh) token.refresh = asked + *desk_.refresh;
        return token;
    }
    [[nodiscard]] std::string describe() const override { return "the desk"; }
    [[nodiscard]] std::optional<WallTime> last_renewal() const override { return WallTime(1h); }

  private:
    Desk& desk_;
};

struct CycleRig {
    [[nodiscard]] std::string token() {
        const auto token = cycle.token(kNoDeadline, {});
        return token ? token->reveal() : "error: " + token.error().message;
    }
    // The same after a fetch that this call has begun, if there is one.
    [[nodiscard]] std::string next_token() {
        const std::string now = token();
        return eventually([&] { return token() != now; }) ? token() : now;
    }

    test::FakeClock clock;
    SeededRandom random{1};
    Desk desk{clock};
    TokenCycle cycle{std::make_unique<DeskSource>(desk), clock, random};
};

}  // namespace

TEST_CASE("the first token is waited for, and then used until it is time for the next") {
    CycleRig rig;
    CHECK(rig.desk.asked == 0);
    CHECK(rig.token() == "1");
    rig.clock.advance(40min);
    CHECK(rig.token() == "1");
    CHECK(rig.desk.asked == 1);
}

TEST_CASE("nobody waits for an early refresh: the old token is used until the new one is there") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.desk.open = false;
    rig.clock.advance(56min);
    CHECK(rig.token() == "1");
    CHECK(rig.token() == "1");
    REQUIRE(eventually([&] { return rig.desk.asked == 2; }));
    rig.desk.open = true;
    CHECK(rig.next_token() == "2");
    CHECK(rig.desk.asked == 2);
}

TEST_CASE(
    "a token is renewed five minutes before its end, at half of a short or a very long life, or when its source says") {
    struct Case {
        std::chrono::nanoseconds life;
        std::optional<std::chrono::nanoseconds> refresh = {};
        std::chrono::nanoseconds latest;
    };
    for (const Case& c : {Case{1h, {}, 55min}, Case{3s, {}, 1500ms}, Case{24h, {}, 12h}, Case{1h, 10min, 10min}}) {
        CycleRig rig;
        rig.desk.life = c.life;
        rig.desk.refresh = c.refresh;
        REQUIRE(rig.token() == "1");
        rig.clock.advance(std::chrono::nanoseconds(c.latest.count() * 79 / 100));  // the jitter is a fifth
        CHECK(rig.token() == "1");
        CHECK(rig.desk.asked == 1);
        rig.clock.advance(c.latest - std::chrono::nanoseconds(c.latest.count() * 79 / 100));
        CHECK(rig.next_token() == "2");
    }
}

TEST_CASE("processes that started together do not refresh together") {
    const Token token{Secret("t"), BootTime(1h), BootTime(2h), {}};
    SeededRandom random(1);
    std::set<std::int64_t> minutes;
    for (int i = 0; i < 50; ++i) {
        const auto after = refresh_time(token, random) - token.asked;
        CHECK(after >= 44min);
        CHECK(after <= 55min);
        minutes.insert(std::chrono::duration_cast<std::chrono::minutes>(after).count());
    }
    CHECK(minutes.size() >= 8);
}

TEST_CASE("a source that wants to be asked after the end of its token is asked before it") {
    const Token token{Secret("t"), BootTime(1h), BootTime(2h), BootTime(9h)};
    SeededRandom random(1);
    CHECK(refresh_time(token, random) <= token.ends);
}

TEST_CASE("a token that has ended when it comes is an error, and is not asked for again and again") {
    CycleRig rig;
    rig.desk.life = 0s;
    CHECK(rig.token() == "error: the token of the desk had ended when it came");
    CHECK(rig.desk.asked == 1);
}

TEST_CASE("a failed early refresh is no error while the token lives, and is tried again, but not at once") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.desk.error = make_error(ErrorCode::unavailable, "the endpoint is down");
    rig.clock.advance(56min);
    CHECK(rig.token() == "1");
    REQUIRE(eventually([&] { return rig.desk.ended == 2; }));
    for (int i = 0; i < 500; ++i) {  // long enough for a fetch that should not be
        CHECK(rig.token() == "1");
        std::this_thread::yield();
    }
    CHECK(rig.desk.asked == 2);
    rig.clock.advance(31s);
    CHECK(rig.token() == "1");
    REQUIRE(eventually([&] { return rig.desk.ended == 3; }));
    rig.clock.advance(4min);  // its end
    CHECK(rig.token() == "error: the endpoint is down");
    rig.desk.error.reset();
    CHECK(rig.token().find_first_not_of("0123456789") == std::string::npos);
}

TEST_CASE("a fetch that finds no memory is an error like any other, and the next one may succeed") {
    CycleRig rig;
    rig.desk.memory = false;
    const auto none = rig.cycle.token(kNoDeadline, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::io);
    rig.desk.memory = true;
    CHECK(rig.token() == "2");
}

TEST_CASE("a token that was refused is not given out again, and one that came since stays") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.cycle.refused(Secret("1"));
    CHECK(rig.token() == "2");
    rig.cycle.refused(Secret("1"));
    CHECK(rig.token() == "2");
    CHECK(rig.desk.asked == 2);
}

TEST_CASE("a refused token that has not ended is used again if the source is away: the refusal may have been a stray") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.desk.error = make_error(ErrorCode::unavailable, "the endpoint is down");
    rig.cycle.refused(Secret("1"));
    CHECK(rig.token() == "1");
    CHECK(rig.desk.ended == 2);
    // It never answers.
    rig.desk.open = false;
    rig.cycle.refused(Secret("1"));
    CHECK_FALSE(rig.cycle.token(rig.clock.now(), {}).has_value());
    rig.clock.advance(4s);
    CHECK(rig.token() == "1");
    rig.desk.error.reset();
    rig.desk.open = true;
    CHECK(rig.next_token() == "3");
}

TEST_CASE("a refused token is not used again if the source refuses, too") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.desk.error = make_error(ErrorCode::auth, "the secret is revoked");
    rig.cycle.refused(Secret("1"));
    CHECK(rig.token() == "error: the secret is revoked");
}

TEST_CASE("the wait for a token ends at the deadline and with a stop, and the fetch goes on for the next caller") {
    CycleRig rig;
    rig.desk.open = false;
    const auto late = rig.cycle.token(rig.clock.now(), {});
    REQUIRE_FALSE(late);
    CHECK(late.error().fault == TransportFault::timeout);
    CHECK(late.error().message.find("the desk") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = rig.cycle.token(kNoDeadline, stop.get_token());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    rig.desk.open = true;
    CHECK(rig.token() == "1");
    CHECK(rig.desk.asked == 1);
}

TEST_CASE("many callers share one fetch and its error") {
    CycleRig rig;
    rig.desk.open = false;
    rig.desk.error = make_error(ErrorCode::auth, "wrong secret");
    std::atomic<int> failed{0};
    std::atomic<int> waiting{0};
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < 8; ++i) {
            callers.emplace_back([&] {
                ++waiting;
                failed += rig.token() == "error: wrong secret" ? 1 : 0;
            });
        }
        REQUIRE(eventually([&] { return waiting == 8 && rig.desk.asked == 1; }));
        rig.desk.open = true;
    }
    CHECK(failed == 8);
}

TEST_CASE("the end of the cycle ends a fetch that is running") {
    test::FakeClock clock;
    Desk desk{clock};
    std::atomic<int> told{0};
    desk.open = false;
    {
        SeededRandom random(1);
        TokenCycle cycle(std::make_unique<DeskSource>(desk), clock, random, [&](const auto&) { ++told; });
        REQUIRE_FALSE(cycle.token(clock.now(), {}));
    }
    CHECK(desk.ended == desk.asked);
    CHECK(told == 0);  // it is nothing for the user
}

TEST_CASE("after a suspend the token has simply ended") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    rig.clock.advance(2h);
    CHECK(rig.token() == "2");
}

TEST_CASE("a token that must last longer is replaced first, and one that cannot be is used as it is") {
    CycleRig rig;
    REQUIRE(rig.token() == "1");
    REQUIRE(rig.cycle.last_for(50min, kNoDeadline, {}));
    CHECK(rig.desk.asked == 1);
    rig.clock.advance(20min);
    REQUIRE(rig.cycle.last_for(50min, kNoDeadline, {}));
    CHECK(rig.token() == "2");
    rig.desk.error = make_error(ErrorCode::unavailable, "down");
    rig.clock.advance(20min);
    CHECK(rig.cycle.last_for(50min, kNoDeadline, {}));
    CHECK(rig.token() == "2");
    rig.clock.advance(2h);
    CHECK_FALSE(rig.cycle.last_for(50min, kNoDeadline, {}));
}

TEST_CASE("tokens that never last so long are not fetched again and again") {
    CycleRig rig;
    rig.desk.life = 30s;
    for (int i = 0; i < 3; ++i) REQUIRE(rig.cycle.last_for(60s, kNoDeadline, {}));
    CHECK(rig.desk.asked == 1);
}

TEST_CASE("the facts of a token are there when it is, with its end by this machine's clock") {
    CycleRig rig;
    CHECK_FALSE(rig.cycle.facts());
    REQUIRE(rig.token() == "1");
    REQUIRE(rig.cycle.facts());
    CHECK(rig.cycle.facts()->ends == rig.clock.wall() + 1h);
    CHECK(rig.cycle.facts()->tenant.empty());  // it is no JWT
    CHECK(rig.cycle.facts()->last_renewal == WallTime(1h));
}
