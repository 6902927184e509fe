// What an operator's order breaks, whom it asks before, and what it reports.
#include "ops/lease/acquire.hpp"
#include "ops/lease/break_leases.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_break_rig.hpp"

namespace azlock::ops {
namespace {

using test::kTheirs;
using test::why;

struct Ordered : Breaking {
    Ordered() {
        order.confirmed = true;
        order.each.period = 0;
        order.tell = [this](const std::string& text) { told.push_back(text); };
        order.done = [this](const azure::BlobAddress& target, const Result<BreakReport>& report) -> Status {
            done.push_back(report ? describe_break(target.blob, *report) : target.blob + ": failed");
            return {};
        };
    }
    Status run(const azure::BlobAddress& target) { return break_leases(us.client(), target, order, {}); }
    Status run() { return run(blob); }
    Status run_prefix(const std::string& prefix) {
        order.prefix = prefix;
        return run({"box", {}, {}});
    }
    // Answers every question, and notes it.
    void answer(const std::string& word) {
        order.confirmed = false;
        order.ask = [this, word](const std::string& question) -> Result<std::string> {
            asked.push_back(question);
            return word;
        };
    }
    void hold_blob(const std::string& name) {
        service.put("box", name, "x");
        must(peer.client().acquire_lease({"box", name, {}}, 60, {}, {}, {}));
    }
    [[nodiscard]] std::string state_of(const std::string& name) { return service.peek("box", name)->lease_state; }

    BreakOrder order;
    std::vector<std::string> told;
    std::vector<std::string> done;
    std::vector<std::string> asked;
};

}  // namespace

TEST_CASE("an operator is asked before the lease of somebody is broken, and told whose it is") {
    Ordered o;
    o.hold(kTheirs, "deploy");
    SECTION("all but yes: nothing is broken") {
        o.answer(GENERATE(as<std::string>{}, "no", "", "yea", "data"));
        CHECK(o.run().error().message == "not confirmed; nothing was broken");
        CHECK(o.asked == std::vector<std::string>{"Break the lease of box/data, held by deploy for 0 s? [y/N] "});
        CHECK(o.state() == "leased");
        CHECK(o.done.empty());
    }
    SECTION("yes") {
        o.answer(GENERATE(as<std::string>{}, "y", "Yes"));
        CHECK(o.run());
        CHECK(o.done == std::vector<std::string>{"data: broken, free now; it was held by deploy for 0 s"});
        CHECK(o.state() == "broken");
    }
    SECTION("not asked: a free lease") {
        o.release(kTheirs);
        o.answer("no");
        CHECK(o.run());
        CHECK(o.asked.empty());
        CHECK(o.done == std::vector<std::string>{"data: was not leased"});
    }
    SECTION("not asked: a dry run, and an order that is confirmed") {
        o.answer("no");
        o.order.each.dry_run = true;
        CHECK(o.run());
        o.order.each.dry_run = false;
        o.order.confirmed = true;
        CHECK(o.run());
        CHECK(o.asked.empty());
        CHECK(o.done.size() == 2);
    }
}

TEST_CASE("a lease that does not match, or is not there though it must be, is an error") {
    Ordered o;
    SECTION("it does not match") {
        o.hold(kTheirs, "deploy");
        o.order.each.conditions.owner.emplace_back("owner", "other");
    }
    SECTION("nobody has it") {
        o.order.each.must_be_leased = true;
    }
    const auto ran = o.run();
    REQUIRE(!ran);
    CHECK(ran.error().code == ErrorCode::precondition);
    CHECK(ran.error().target == "box/data");
    CHECK(o.done.empty());
    CHECK(o.period() == "no break");
}

TEST_CASE("a holder on a container cannot be marked as dead") {
    Ordered o;
    o.order.each.holder_is_dead = true;
    const auto ran = o.run({"box", {}, {}});
    REQUIRE(!ran);
    CHECK(ran.error().code == ErrorCode::usage);
}

TEST_CASE("a lease whose holder is dead is broken at once, so a period does not go with that") {
    Ordered o;
    o.hold(kTheirs, "deploy");
    o.order.each.holder_is_dead = true;
    o.order.each.period = 20;
    CHECK(o.run().error().message == "--holder-is-dead breaks at once; --period does not go with it");
    CHECK(o.period() == "no break");
    o.order.each.period = 0;
    CHECK(o.run());
}

TEST_CASE("an order that waits is done when the lease is free") {
    Ordered o;
    o.hold(kTheirs, "deploy");
    o.order.each.period = 20;
    o.order.wait = true;
    const BootTime start = o.clock.now();
    REQUIRE(o.run());
    CHECK(o.clock.now() - start >= std::chrono::seconds(20));
    REQUIRE(o.told.size() == 1);
    CHECK(o.told[0].find("box/data: broken, free in 20 s; it was held by deploy") == 0);
    CHECK(o.told[0].find("; azlock waits until it is free") != std::string::npos);
    CHECK(o.done == std::vector<std::string>{"data: broken, free now; it was held by deploy for 0 s"});
}

TEST_CASE("a prefix needs a container, and somebody who confirms it") {
    Ordered o;
    o.hold_blob("a1");
    SECTION("a blob as the target") {
        o.order.prefix = "a";
        CHECK(o.run().error().code == ErrorCode::usage);
    }
    SECTION("nobody can be asked") {
        o.order.confirmed = false;
        CHECK(o.run_prefix("a").error().code == ErrorCode::usage);
    }
    SECTION("no") {
        o.answer("no");
        CHECK(!o.run_prefix("a"));
        CHECK(o.asked == std::vector<std::string>{"Break 1 lease under 'a' in box? [y/N] "});
    }
    CHECK(o.state_of("a1") == "leased");
}

TEST_CASE("all held leases of a prefix are broken, and no other") {
    Ordered o;
    for (const char* name : {"a1", "a2", "b1"}) o.hold_blob(name);
    o.service.put("box", "a3", "x");
    o.answer("yes");
    const auto ran = o.run_prefix("a");
    INFO(why(ran));
    REQUIRE(ran);
    CHECK(o.asked == std::vector<std::string>{"Break 2 leases under 'a' in box? [y/N] "});
    CHECK(o.done.size() == 2);
    CHECK(o.state_of("a1") == "broken");
    CHECK(o.state_of("a2") == "broken");
    CHECK(o.state_of("b1") == "leased");
    CHECK(o.run_prefix("none"));
    CHECK(o.told == std::vector<std::string>{"no lease to break: 'none' in box"});
}

TEST_CASE("a prefix is gone through to its end, unless no further break can succeed") {
    Ordered o;
    for (const char* name : {"a1", "a2"}) o.hold_blob(name);
    SECTION("one break fails: the others are tried, and the first error is told") {
        o.on_lease("break").nth(1).return_status(400, "InvalidInput");
        const auto ran = o.run_prefix("a");
        REQUIRE(!ran);
        CHECK(ran.error().message.find("1 of 2 leases could not be broken; the first: ") == 0);
        REQUIRE(o.done.size() == 2);
        CHECK(o.done[0] == "a1: failed");
        CHECK(o.state_of("a2") == "broken");
    }
    SECTION("no permission: that is the end") {
        o.on_lease("break").nth(1).return_status(403, "AuthorizationFailure");
        const auto ran = o.run_prefix("a");
        REQUIRE(!ran);
        CHECK(ran.error().code == ErrorCode::auth);
        CHECK(o.done.empty());
        CHECK(o.state_of("a2") == "leased");
    }
}

TEST_CASE("with conditions only the holder that they mean is declared dead, not one before it") {
    Ordered o;
    o.hold(kTheirs, "first");
    o.break_it(0);
    AcquireOptions acquiring;
    acquiring.duration = 15;
    acquiring.record.emplace();
    acquiring.record->owner = "second";
    const auto second = acquire_lease(o.peer.client(), o.blob, acquiring, {});
    REQUIRE(second);
    o.order.each.holder_is_dead = true;
    const auto waits = [&] { return look_at_lease(o.peer.client(), o.blob, {})->next_holder_waits(); };
    SECTION("its lease is broken") {
        o.order.each.conditions.owner = {{"owner", "second"}};
        REQUIRE(o.run());
        REQUIRE(o.done.size() == 1);
        CHECK(o.done[0].find(", but the next lock still waits for the holder before it") != std::string::npos);
        CHECK(waits());
    }
    SECTION("it has released it") {
        o.order.each.conditions.owner = {{"owner", "second"}};
        o.release(second->lease_id);
        REQUIRE(o.run());
        CHECK(waits());
    }
    SECTION("without conditions all are") {
        REQUIRE(o.run());
        CHECK(o.done[0].find(", and nobody waits for its holder") != std::string::npos);
        CHECK(!waits());
    }
}

}  // namespace azlock::ops
