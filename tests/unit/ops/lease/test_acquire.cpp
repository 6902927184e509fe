// Taking a lease: once, whatever happens to the answer; waiting; making what is missing; the record of the holder.
#include "base/http_date.hpp"
#include "ops/lease/acquire.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_rig.hpp"
#include "unit/scarce_memory.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kOurs;
using test::kTheirs;
using test::why;

struct Acquiring : test::LeaseRig {
    Result<AcquiredLease> run(const azure::Call& call = {}) { return acquire_lease(us.client(), blob, options, call); }
    // x-ms-lease-duration of each acquire.
    [[nodiscard]] std::vector<std::string> durations() const {
        std::vector<std::string> out;
        for (const test::LoggedRequest& line : service.log()) {
            if (line.headers.get("x-ms-lease-action") == "acquire") {
                out.emplace_back(line.headers.get("x-ms-lease-duration"));
            }
        }
        return out;
    }

    AcquireOptions options;
};

OwnerRecord deploy() {
    OwnerRecord record;
    record.owner = "deploy";
    record.host = "ci-7";
    record.pid = 4121;
    return record;
}

}  // namespace

TEST_CASE("an acquired lease has a new id each time, or the one that was proposed") {
    Acquiring a;
    const auto first = a.run();
    INFO(why(first));
    REQUIRE(first);
    CHECK(first->lease_id.size() == 36);
    CHECK(a.state() == "leased");
    CHECK(a.holder() == first->lease_id);
    CHECK(first->etag == '"' + a.view().etag + '"');
    a.release(first->lease_id);
    a.options.proposed_id = kOurs;
    const auto second = a.run();
    REQUIRE(second);
    CHECK(second->lease_id == kOurs);
    CHECK(second->lease_id != first->lease_id);
    CHECK(a.durations() == std::vector<std::string>{"60", "60"});
}

TEST_CASE("an acquire whose answer was lost is repeated under the same id") {
    Acquiring a;
    SECTION("carried out") {
        a.on_lease("acquire").nth(1).drop_reply();
    }
    SECTION("not carried out") {
        a.on_lease("acquire").nth(1).lose_request();
    }
    SECTION("carried out twice") {
        a.on_lease("acquire").nth(1).silent_replay();
    }
    SECTION("a failing service") {
        a.on_lease("acquire").nth(1).return_status(500, "InternalError");
    }
    const auto got = a.run();
    INFO(why(got));
    REQUIRE(got);
    CHECK(a.holder() == got->lease_id);
}

TEST_CASE("who gives up after an unanswered acquire releases the id that it made") {
    Acquiring a;
    a.on_lease("acquire").from(1).drop_reply();
    const auto lost = a.run();
    REQUIRE(!lost);
    CHECK(lost.error().code == ErrorCode::unavailable);
    CHECK(!lost.error().may_have_applied);
    CHECK(a.state() == "available");
}

TEST_CASE("an unanswered acquire of an id that was given is said to be possible and left alone") {
    Acquiring a;
    a.options.proposed_id = kOurs;
    a.on_lease("acquire").from(1).drop_reply();
    const auto lost = a.run();
    REQUIRE(!lost);
    CHECK(lost.error().may_have_applied);
    CHECK(lost.error().hint.find(kOurs) != std::string::npos);
    CHECK(a.holder() == kOurs);
}

TEST_CASE("who gets no memory for an acquire leaves no lease behind") {
    bool reached = true;
    for (std::int64_t first = 0; reached; ++first) {
        Acquiring a;
        a.options.duration = kInfiniteLease;
        a.faulty.on([](const http::Request&) { return true; }, "any").from(1).with("spared", [](const auto& call) {
            const test::ScarceMemory::Spared spared;
            return call.forward(call.request);
        });
        a.faulty.report_to([](const std::string&) {});  // memory may end before the first request
        Result<AcquiredLease> acquired;
        {
            const test::ScarceMemory scarce(first);
            acquired = a.run();
            reached = test::ScarceMemory::reached();
        }
        INFO("allocation " << first << " " << why(acquired));
        CHECK(acquired.has_value() == (a.state() == "leased"));
    }
}

TEST_CASE("a lease that somebody else holds is busy, and the holder is named") {
    Acquiring a;
    a.describe(with_owner_record({}, deploy()));
    a.acquire(kTheirs);
    const auto busy = a.run();
    REQUIRE(!busy);
    CHECK(busy.error().code == ErrorCode::busy);
    CHECK(busy.error().message.find("deploy@ci-7 pid 4121") != std::string::npos);
    CHECK(busy.error().message.find("infinite") != std::string::npos);
    CHECK(busy.error().service_code == "LeaseAlreadyPresent");
    CHECK(a.holder() == kTheirs);
}

TEST_CASE("waiting gets the lease when its holder is gone, and says once whom it waits for") {
    Acquiring a;
    a.describe(with_owner_record({}, deploy()));
    a.acquire(kTheirs, 30);
    a.options.wait = seconds(60);
    std::vector<std::string> told;
    a.options.waiting = [&](const LeaseView& view) { told.push_back(view.holder()); };
    const BootTime start = a.clock.now();
    const auto got = a.run();
    INFO(why(got));
    REQUIRE(got);
    CHECK(a.holder() == got->lease_id);
    CHECK(a.clock.now() - start >= seconds(30));
    CHECK(a.clock.now() - start <= seconds(35));
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("deploy@ci-7") != std::string::npos);
    const auto pauses = a.clock.waits();
    CHECK(pauses.front() == milliseconds(250));
    CHECK(*std::max_element(pauses.begin(), pauses.end()) <= seconds(5));
    CHECK(pauses.size() > 6);
}

TEST_CASE("a lease that is being broken is looked for every second at least") {
    Acquiring a;
    a.acquire(kTheirs);
    a.break_it(20);
    a.options.wait = seconds(60);
    const BootTime start = a.clock.now();
    REQUIRE(a.run());
    CHECK(a.clock.now() - start <= seconds(21));
}

TEST_CASE("waiting ends with a last try when its time is over") {
    Acquiring a;
    a.acquire(kTheirs);
    a.options.wait = seconds(10);
    const BootTime start = a.clock.now();
    const auto busy = a.run();
    REQUIRE(!busy);
    CHECK(busy.error().code == ErrorCode::busy);
    CHECK(a.clock.now() - start == seconds(10));
    const auto operations = a.service.operations();
    CHECK(operations[operations.size() - 2] == "Lease Blob");  // then comes a look at who holds it
}

TEST_CASE("a stop ends the waiting and leaves no lease") {
    Acquiring a;
    a.acquire(kTheirs);
    a.options.wait = seconds(60);
    std::stop_source stop;
    a.on_lease("acquire").nth(3).afterwards([&] { stop.request_stop(); });
    const auto stopped = a.run({kNoDeadline, stop.get_token()});
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    CHECK(a.holder() == kTheirs);
}

TEST_CASE("who may not look at the blob can wait all the same") {
    Acquiring a;
    a.acquire(kTheirs, 15);
    a.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    a.options.wait = seconds(60);
    const auto got = a.run();
    INFO(why(got));
    CHECK(got);
}

TEST_CASE("what is missing is made where that is asked for") {
    Acquiring a;
    a.blob.blob = "new";
    const auto missing = a.run();
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::not_found);
    a.options.create = true;
    SECTION("a blob") {
        const auto got = a.run();
        INFO(why(got));
        REQUIRE(got);
        CHECK(got->created);
        CHECK(a.service.content("box", "new") == "");
    }
    SECTION("a blob whose creation is not answered") {
        a.faulty.on("Put Blob").nth(1).drop_reply();
        const auto got = a.run();
        INFO(why(got));
        CHECK(got);
    }
    SECTION("a blob that a peer makes meanwhile keeps its content") {
        a.faulty.on("Put Blob").nth(1).meanwhile([&] { a.service.put("box", "new", "theirs"); });
        const auto got = a.run();
        INFO(why(got));
        REQUIRE(got);
        CHECK(!got->created);
        CHECK(a.service.content("box", "new") == "theirs");
    }
    SECTION("a blob that a peer makes and leases meanwhile is busy") {
        a.faulty.on("Put Blob").nth(1).meanwhile([&] {
            a.service.put("box", "new", "theirs");
            a.acquire(kTheirs);
        });
        const auto busy = a.run();
        REQUIRE(!busy);
        CHECK(busy.error().code == ErrorCode::busy);
        CHECK(a.service.content("box", "new") == "theirs");
    }
    SECTION("a container with a blob") {
        a.blob.container = "fresh";
        const auto got = a.run();
        INFO(why(got));
        REQUIRE(got);
        CHECK(a.service.content("fresh", "new") == "");
    }
    SECTION("a container") {
        a.blob = {"fresh", "", {}};
        const auto got = a.run();
        INFO(why(got));
        REQUIRE(got);
        CHECK(got->created);
    }
}

TEST_CASE("the record is written under the lease, with the service's time, and foreign metadata stays") {
    Acquiring a;
    const bool infinite = GENERATE(false, true);
    if (infinite) a.options.duration = kInfiniteLease;
    a.describe({{"job", "17"}, {"azl_owner", "former"}, {"azl_command", "old"}});
    a.options.record = deploy();
    const auto got = a.run();
    INFO(why(got));
    REQUIRE(got);
    const auto head = a.peer.client().get_properties(a.blob, {}, {});
    REQUIRE(head);
    CHECK(head->properties.lease.duration == (infinite ? "infinite" : "fixed"));
    const azure::Metadata& metadata = head->properties.metadata;
    CHECK(metadata.at("job") == "17");
    CHECK(!metadata.contains("azl_command"));
    const OwnerRecord record = read_owner_record(metadata);
    CHECK(record.owner == "deploy");
    CHECK(record.pid == 4121U);
    CHECK(record.since == parse_http_date(head->date));
    CHECK(record.ttl.has_value() == !infinite);
    CHECK(got->etag == head->properties.etag);
    const auto once = std::vector<std::string>{"60"};
    CHECK(a.durations() == (infinite ? std::vector<std::string>{"60", "-1"} : once));
}

TEST_CASE("an infinite lease whose record cannot be written is given back and was never infinite") {
    Acquiring a;
    a.options.duration = kInfiniteLease;
    a.options.record = deploy();
    a.faulty.on("Set Blob Metadata").from(1).return_status(400, "MetadataTooLarge");
    const auto refused = a.run();
    REQUIRE(!refused);
    CHECK(a.state() == "available");
    CHECK(a.durations() == std::vector<std::string>{"60"});
}

TEST_CASE("a lease that is broken before it is infinite is not taken again") {
    Acquiring a;
    a.options.duration = kInfiniteLease;
    a.options.record = deploy();
    a.on_lease("acquire").nth(2).meanwhile([&] {
        a.break_it(0);
        a.acquire(kTheirs);
        a.describe({{"azl_owner", "somebody else"}}, kTheirs);
        a.release(kTheirs);
    });
    const auto refused = a.run();
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::precondition);
    CHECK(a.state() == "available");
}

TEST_CASE("lost answers on the way to an infinite lease with a record cost nothing") {
    Acquiring a;
    a.options.duration = kInfiniteLease;
    a.options.record = deploy();
    SECTION("the finite lease") {
        a.on_lease("acquire").nth(1).drop_reply();
    }
    SECTION("the record") {
        a.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    }
    SECTION("the infinite lease") {
        a.on_lease("acquire").nth(2).drop_reply();
    }
    const auto got = a.run();
    INFO(why(got));
    REQUIRE(got);
    CHECK(a.holder() == got->lease_id);
    CHECK(read_owner_record(a.peer.client().get_properties(a.blob, {}, {})->properties.metadata).owner == "deploy");
}

TEST_CASE("a lease without a record does not show the former holder's name") {
    Acquiring a;
    a.describe({{"job", "17"}, {"azl_owner", "former"}, {"azl_fence", "5"}});
    SECTION("a new lease") {
        REQUIRE(a.run());
        CHECK(a.view().metadata == std::map<std::string, std::string>{{"job", "17"}, {"azl_fence", "5"}});
    }
    SECTION("perhaps the same lease again") {
        a.options.proposed_id = kOurs;
        REQUIRE(a.run());
        CHECK(a.view().metadata.contains("azl_owner"));
    }
}

TEST_CASE("a container is leased with its record") {
    Acquiring a;
    a.blob.blob.clear();
    a.options.duration = kInfiniteLease;
    a.options.record = deploy();
    const auto got = a.run();
    INFO(why(got));
    REQUIRE(got);
    const auto seen = look_at_lease(a.peer.client(), a.blob, {});
    REQUIRE(seen);
    CHECK(seen->lease.duration == "infinite");
    CHECK(seen->holder() == "deploy@ci-7 pid 4121 for 0 s");
}

}  // namespace azlock::ops
