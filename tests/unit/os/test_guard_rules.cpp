// When the guard ends the command: stories without processes.
#include "os/guard_rules.hpp"
#include "support/catch.hpp"

namespace azlock::os {
namespace {

constexpr BootNs kSecond = 1'000'000'000;
using Phase = GuardRules::Phase;

// A command that was started with TERM at 45 s and KILL at 55 s.
GuardRules running() {
    GuardRules rules;
    rules.started({45 * kSecond, 55 * kSecond}, 10 * kSecond);
    return rules;
}

}  // namespace

TEST_CASE("without newer points the guard sends TERM and KILL when they are due") {
    GuardRules rules = running();
    CHECK(rules.next() == 45 * kSecond);
    const GuardSteps before = rules.timer(45 * kSecond - 1);
    CHECK(!before.term);
    const GuardSteps term = rules.timer(45 * kSecond);
    CHECK(term.term);
    CHECK(!term.kill);
    CHECK(rules.next() == 55 * kSecond);
    CHECK(!rules.timer(55 * kSecond - 1).kill);
    CHECK(rules.timer(55 * kSecond).kill);
}

TEST_CASE("newer points move both") {
    GuardRules rules = running();
    rules.new_points({60 * kSecond, 70 * kSecond});
    CHECK(!rules.timer(59 * kSecond).term);
    CHECK(rules.timer(60 * kSecond).term);
}

TEST_CASE("after TERM there is no way back") {
    GuardRules rules = running();
    REQUIRE(rules.timer(45 * kSecond).term);
    rules.new_points({100 * kSecond, 110 * kSecond});
    CHECK(!rules.thaw({100 * kSecond, 110 * kSecond}).thaw);
    CHECK(!rules.freeze(100 * kSecond).freeze);
    CHECK(rules.timer(55 * kSecond).kill);
}

TEST_CASE("a timer that fires late freezes, asks, and kills without an answer") {
    GuardRules rules = running();
    const BootNs woken = 45 * kSecond + GuardRules::kLate + 1;
    const GuardSteps steps = rules.timer(woken);
    CHECK(steps.freeze);
    CHECK(steps.late);
    CHECK(!steps.term);
    CHECK(rules.phase() == Phase::frozen);
    CHECK(!rules.timer(woken + GuardRules::kVerdict - 1).kill);
    CHECK(rules.timer(woken + GuardRules::kVerdict).kill);
}

TEST_CASE("a timer that is a second late is still punctual") {
    GuardRules rules = running();
    CHECK(rules.timer(45 * kSecond + GuardRules::kLate).term);
}

TEST_CASE("only azlock's word thaws: points that were under way when it froze do not") {
    GuardRules rules = running();
    REQUIRE(rules.timer(200 * kSecond).freeze);
    rules.new_points({300 * kSecond, 310 * kSecond});
    CHECK(rules.phase() == Phase::frozen);
    const GuardSteps thawed = rules.thaw({245 * kSecond, 255 * kSecond});
    CHECK(thawed.thaw);
    CHECK(rules.phase() == Phase::running);
    CHECK(rules.next() == 245 * kSecond);
}

TEST_CASE("a frozen command that is to end before its time gets TERM and is thawed for it") {
    GuardRules rules = running();
    REQUIRE(rules.freeze(30 * kSecond).freeze);
    const GuardSteps steps = rules.end(20 * kSecond, 25 * kSecond);
    CHECK(steps.term);
    CHECK(steps.thaw);
    CHECK(!steps.kill);
    CHECK(rules.timer(25 * kSecond).kill);
}

TEST_CASE("an end at once is KILL, without TERM and without a thaw") {
    GuardRules rules = running();
    REQUIRE(rules.freeze(30 * kSecond).freeze);
    const GuardSteps steps = rules.end(20 * kSecond, 20 * kSecond);
    CHECK(steps.kill);
    CHECK(!steps.term);
    CHECK(!steps.thaw);
}

TEST_CASE("no end may outlast the KILL point") {
    GuardRules rules = running();
    REQUIRE(rules.end(50 * kSecond, 500 * kSecond).term);
    CHECK(rules.next() == 55 * kSecond);
}

TEST_CASE("a second order to end can only make it sooner") {
    GuardRules rules = running();
    REQUIRE(rules.end(10 * kSecond, 20 * kSecond).term);
    CHECK(!rules.end(11 * kSecond, 30 * kSecond).kill);
    CHECK(rules.next() == 20 * kSecond);
    CHECK(rules.end(12 * kSecond, 12 * kSecond).kill);
}

TEST_CASE("when azlock is gone the command gets TERM and its time to end, but not past the KILL point") {
    GuardRules early = running();
    CHECK(early.azlock_gone(5 * kSecond).term);
    CHECK(early.next() == 15 * kSecond);
    GuardRules late = running();
    CHECK(late.azlock_gone(50 * kSecond).term);
    CHECK(late.next() == 55 * kSecond);
    GuardRules too_late = running();
    CHECK(too_late.azlock_gone(55 * kSecond).kill);
}

TEST_CASE("when azlock goes while the command is frozen, nobody can vouch for the lease: KILL") {
    GuardRules rules = running();
    REQUIRE(rules.freeze(30 * kSecond).freeze);
    CHECK(rules.azlock_gone(10 * kSecond).kill);
}

TEST_CASE("a lock without a lease of its own has no TERM point") {
    GuardRules rules;
    rules.started({}, 10 * kSecond);
    CHECK(rules.next() == kNeverNs);
    CHECK(!rules.timer(kNeverNs - 1).term);
    CHECK(rules.azlock_gone(kSecond).term);
    CHECK(rules.next() == 11 * kSecond);
}

TEST_CASE("without a command nothing is ended") {
    GuardRules rules;
    CHECK(!rules.timer(kSecond).kill);
    CHECK(!rules.end(kSecond, kSecond).kill);
    CHECK(!rules.freeze(kSecond).freeze);
    CHECK(!rules.azlock_gone(kSecond).kill);
}

}  // namespace azlock::os
