// What a lease's records tell about the way to end it.
#include "ops/lease/break.hpp"
#include "ops/lease/concern.hpp"
#include "ops/lease/view.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("a lease can be released by anybody if another tool's record tells its id") {
    LeaseView view;
    CHECK(view.known_id().empty());
    view.foreign = ForeignRecord{};
    CHECK(view.known_id().empty());
    view.foreign->lease_id = "AAAAAAAA-1111-2222-3333-444444444444";
    CHECK(view.known_id() == "aaaaaaaa-1111-2222-3333-444444444444");
    view.foreign->lease_id = "not a lease id";
    CHECK(view.known_id().empty());
}

TEST_CASE("how long a lease has been held is told only while somebody holds it") {
    LeaseView view;
    view.owner.owner = "deploy";
    view.owner.since = WallTime(std::chrono::seconds(1000));
    view.now = *view.owner.since + std::chrono::seconds(90);
    for (const char* state : {"leased", "breaking"}) {
        view.lease.state = state;
        CHECK(view.is_taken());
        CHECK(view.holder() == "deploy for 1 min 30 s");
        CHECK(view.held_for() == std::chrono::seconds(90));
    }
    for (const char* state : {"expired", "broken", "available"}) {
        view.lease.state = state;
        CHECK(!view.is_taken());
        CHECK(view.holder() == "deploy since 1970-01-01T00:16:40Z");
        CHECK(!view.held_for());
        CHECK(view.age() == std::chrono::seconds(90));
    }
}

TEST_CASE("an operator should look at a lease that nobody renews any more, or that is held for too long") {
    const azure::Metadata metadata{{"azl_owner", "deploy"}, {"azl_since", "1970-01-01T00:16:40Z"}};
    const auto now = WallTime(std::chrono::seconds(1090));
    const auto concern = [&](const char* state, const azure::Metadata& with) {
        return concern_of(make_lease_view({"", state, "fixed"}, "", "", with, now), std::chrono::seconds(80));
    };
    CHECK(concern("leased", metadata) == "held for longer than 1 min 20 s");
    CHECK(concern_of(make_lease_view({"", "leased", "fixed"}, "", "", metadata, now), kExpectedHold).empty());
    CHECK(concern("expired", metadata) == "its holder stopped renewing it without giving it back");
    CHECK(concern("expired", with_ended_mark(metadata)).empty());
    CHECK(concern("expired", {}).empty());
    CHECK(concern("available", metadata).empty());
}

TEST_CASE("a record that is not of the present holder is not shown as its record") {
    azure::Metadata metadata{{"azl_owner", "deploy"}, {"azl_fence", "7"}, {"azl_slots", "1"}, {"azl_ttl", "60s"}};
    azure::LeaseInfo lease{"locked", "leased", "fixed"};
    SECTION("an infinite lease, and the record of a finite one") {
        lease.duration = "infinite";
    }
    SECTION("the holder has said that its command has ended") {
        metadata = with_ended_mark(metadata);
    }
    SECTION("an operator has said that the holder is dead") {
        metadata = with_dead_mark(metadata);
    }
    const LeaseView view = make_lease_view(lease, {}, {}, metadata, {});
    CHECK(view.holder() == "somebody who left no record");
    CHECK(!view.owner.fence);
    CHECK(view.owner.slots == 1);
    BreakConditions conditions;
    conditions.owner = {{"owner", "deploy"}};
    CHECK(mismatch(view, conditions));
    lease = {"unlocked", "available", {}};
    CHECK(make_lease_view(lease, {}, {}, metadata, {}).holder() == "deploy");
}

TEST_CASE("in a quarantine after a command that has ended nobody knows for whom, and a later mark ends it") {
    const azure::Metadata metadata{{"azl_owner", "deploy"}, {"azl_ttl", "60s"}};
    Quarantine quarantine{{}, WallTime(std::chrono::seconds(1'700'000'000))};
    quarantine.by.owner = "next";
    const auto view = [&](const azure::Metadata& marked) {
        return make_lease_view({"locked", "leased", "fixed"}, {}, {}, marked, {});
    };
    const azure::Metadata marked = with_quarantine_mark(with_ended_mark(metadata), quarantine);
    CHECK(view(marked).owner.owner == "next");
    CHECK(view(marked).former->empty());
    for (const auto& later : {with_dead_mark(marked), with_ended_mark(with_quarantine_mark(metadata, quarantine))}) {
        CHECK(!view(later).former);
        CHECK(view(later).owner.empty());
    }
    for (const char* bad : {"", "x", "-/-/deploy//-/", "-/-/deploy//-/2023-11-14T22:13:20Z/-/-/%ff//7"}) {
        azure::Metadata unreadable = metadata;
        unreadable[kQuarantineMark] = bad;
        CHECK(view(unreadable).owner.owner == "deploy");
    }
}

TEST_CASE("the record of a present holder is shown") {
    const azure::Metadata metadata{{"azl_owner", "deploy"}, {"azl_ttl", "60s"}};
    CHECK(make_lease_view({"locked", "leased", "fixed"}, {}, {}, metadata, {}).holder() == "deploy");
    CHECK(make_lease_view({"locked", "leased", "infinite"}, {}, {}, {{"azl_owner", "ops"}}, {}).holder() == "ops");
}

}  // namespace azlock::ops
