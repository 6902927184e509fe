// Who leads, as somebody sees it who only looks.
#include "ops/lease/quarantine_mark.hpp"
#include "ops/lock/leader_watch.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kId = "aaaaaaaa-1111-2222-3333-444444444444";

// A watch of ten seconds, in which things happen at whole seconds and a half.
struct Watch : test::Rig {
    void at(int second, std::function<void()> what) {
        faulty.on("Get Blob Properties").nth(static_cast<std::size_t>(second) + 1).meanwhile(std::move(what));
    }
    void lead(const std::string& owner) {
        (void)peer.client().acquire_lease(blob, 60, kId, {}, {});
        OwnerRecord record;
        record.owner = owner;
        azure::Conditions lease;
        lease.lease_id = kId;
        (void)peer.client().set_metadata(blob, with_owner_record({}, record), lease, {});
    }
    void release() { (void)peer.client().release_lease(blob, kId, {}, {}); }

    Status run() {
        LeaderVisitor visitor;
        visitor.changed = [this](const Leader& leader, WallTime) -> Status {
            seen.push_back(leader ? leader->owner : "nobody");
            return {};
        };
        visitor.blind = [this](const Error&) { seen.emplace_back("blind"); };
        return watch_leader(us.client(), name, blob, visitor, {clock.after(milliseconds(9'500)), {}});
    }
    std::string name = "data";
    std::vector<std::string> seen;
};

using Seen = std::vector<std::string>;

}  // namespace

TEST_CASE("each change of the leader is told once") {
    Watch w;
    w.at(2, [&] {
        w.service.put("box", "data", "");
        w.lead("first");
    });
    w.at(5, [&] { w.release(); });
    w.at(7, [&] { w.lead("second"); });
    const Status ran = w.run();
    REQUIRE(!ran);
    CHECK(ran.error().code == ErrorCode::unavailable);
    CHECK(w.seen == Seen{"nobody", "first", "nobody", "second"});
}

TEST_CASE("a holder that has not written its record does not lead, and a former leader's record does not count") {
    Watch w;
    w.service.put("box", "data", "");
    w.lead("first");
    w.release();
    w.at(3, [&] { (void)w.peer.client().acquire_lease(w.blob, 60, kId, {}, {}); });
    w.at(6, [&] { w.lead("second"); });
    (void)w.run();
    CHECK(w.seen == Seen{"nobody", "second"});
}

TEST_CASE("neither a former leader nor its successor leads in a quarantine, also if the watch begins in it") {
    Watch w;
    w.service.put("box", "data", "");
    w.lead("first");
    azure::Conditions lease;
    lease.lease_id = kId;
    const auto metadata = [&] { return w.service.peek("box", "data")->metadata; };
    Quarantine quarantine{{}, w.clock.wall() + seconds(60)};
    quarantine.by.owner = "second";
    const auto marked = with_quarantine_mark(metadata(), quarantine);
    REQUIRE(w.peer.client().set_metadata(w.blob, marked, lease, {}));
    w.at(5, [&] { w.lead("second"); });
    (void)w.run();
    CHECK(w.seen == Seen{"nobody", "second"});
}

TEST_CASE("a watcher that sees nothing says so once, and knows the leader afterwards as before") {
    Watch w;
    w.service.put("box", "data", "");
    w.lead("first");
    w.faulty.on("Get Blob Properties").nth(3, 6).fail_before();
    (void)w.run();
    CHECK(w.seen == Seen{"first", "blind"});
}

TEST_CASE("an election on a whole TARGET is watched at the blob beside it, and a container is refused") {
    Watch w;
    SECTION("a whole TARGET") {
        w.name = "az://box/data";
        w.service.put("box", "data", "");
        w.lead("a lease of another kind");
        (void)w.run();
        CHECK(w.seen == Seen{"nobody"});
    }
    SECTION("a container") {
        w.blob.blob.clear();
        CHECK(w.run().error().code == ErrorCode::usage);
        CHECK(w.service.requests() == 0);
    }
}

}  // namespace azlock::ops
