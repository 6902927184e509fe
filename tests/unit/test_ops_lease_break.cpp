// Breaking a lease: politely, only the one that was meant, and what becomes of lost answers.
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "ops/lease_break.hpp"
#include "support/catch.hpp"
#include "unit/lease_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kOurs;
using test::kTheirs;
using test::why;
using Outcome = BreakReport::Outcome;

struct Breaking : test::LeaseRig {
    Result<BreakReport> run() { return break_lease(us.client(), blob, options, {}); }
    // What the holder does at the start of a lock.
    void hold(const std::string& id, const std::string& owner, int duration = 60) {
        acquire(id, duration);
        write_record(id, owner);
    }
    void write_record(const std::string& id, const std::string& owner) {
        OwnerRecord record;
        record.owner = owner;
        record.fence = ++fence;
        record.since = clock.wall();
        record.ttl = seconds(60);
        record.renew_every = seconds(15);
        record.kill_after = seconds(10);
        describe(with_owner_record({{"job", "17"}}, record), id);
    }
    // x-ms-lease-break-period of the last break; "none" where it had none.
    [[nodiscard]] std::string period() const {
        std::string out = "no break";
        for (const test::LoggedRequest& line : service.log()) {
            if (line.headers.get("x-ms-lease-action") != "break") continue;
            out = line.headers.has("x-ms-lease-break-period") ? line.headers.get("x-ms-lease-break-period") : "none";
        }
        return out;
    }

    BreakOptions options;
    std::uint64_t fence = 0;
};

}  // namespace

TEST_CASE("the polite period is what the record's holder needs to notice and to end") {
    OwnerRecord record;
    CHECK(!polite_period(record));
    record.ttl = seconds(60);
    CHECK(!polite_period(record));
    record.renew_every = seconds(15);
    record.kill_after = seconds(10);
    CHECK(polite_period(record) == 38);  // 18 + 5 + 10 + 5
    record.kill_after.reset();
    CHECK(polite_period(record) == 38);
    record.ttl.reset();
    CHECK(polite_period(record) == 38);
    record.ttl = seconds(15);
    record.renew_every = milliseconds(3750);
    record.kill_after = seconds(3);
    CHECK(polite_period(record) == 16);  // 4.5 + 5 + 3 + 2.75
    record.kill_after = seconds(60);
    CHECK(polite_period(record) == 60);
}

TEST_CASE("by default a holder with a record gets its time, and one without what its lease has left") {
    Breaking b;
    SECTION("a record") {
        b.hold(kTheirs, "deploy");
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(report->period == 38);
        CHECK(report->seconds_left == 38);
        CHECK(report->before.owner.owner == "deploy");
        CHECK(b.period() == "38");
        CHECK(b.state() == "breaking");
    }
    SECTION("a finite lease without a record") {
        b.acquire(kTheirs, 20);
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->seconds_left == 20);
        CHECK(b.period() == "none");
    }
    SECTION("an infinite lease without a record") {
        b.acquire(kTheirs);
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->seconds_left == 0);
        CHECK(b.state() == "broken");
    }
    SECTION("a period that was given counts before the record") {
        b.hold(kTheirs, "deploy");
        b.options.period = 0;
        REQUIRE(b.run());
        CHECK(b.period() == "0");
        CHECK(b.state() == "broken");
    }
}

TEST_CASE("without conditions a break is one look and one request, and needs no metadata") {
    Breaking b;
    b.acquire(kTheirs);
    b.service.clear_log();
    REQUIRE(b.run());
    CHECK(b.service.operations() == std::vector<std::string>{"Get Blob Properties", "Lease Blob"});
    CHECK(!b.sent("Lease Blob").has("If-Match"));
}

TEST_CASE("what cannot be looked at can be broken, but not on conditions") {
    Breaking b;
    b.acquire(kTheirs);
    SECTION("no right to read") {
        b.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    }
    SECTION("a blob of staged blocks only") {
        b.service.erase("box", "data");
        b.service.stage("box", "data", "MDAx", "x");
        b.acquire(kTheirs);
    }
    b.options.conditions.owner = {{"owner", "deploy"}};
    CHECK(!b.run());
    CHECK(b.state() == "leased");
    b.options.conditions.owner.clear();
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(report->before.lease.state.empty());
    CHECK(b.state() == "broken");
}

TEST_CASE("a lease that does not fit the conditions is not touched") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.clock.advance(minutes(10));
    b.acquire(kTheirs, 60);
    b.service.clear_log();
    std::string because;
    SECTION("another owner") {
        b.options.conditions.owner = {{"owner", "somebody"}};
        because = "owner is 'deploy', not 'somebody'";
    }
    SECTION("a field that is not there") {
        b.options.conditions.owner = {{"owner", "deploy"}, {"run", "17"}};
        because = "its record has no run";
    }
    SECTION("another fence") {
        b.options.conditions.fence = 2;
        because = "its fence is 1, not 2";
    }
    SECTION("not that old") {
        b.options.conditions.older_than = minutes(11);
        because = "held for 10 min";
    }
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(report->why.find(because) != std::string::npos);
    CHECK(b.period() == "no break");
    CHECK(b.state() == "leased");
}

TEST_CASE("a break may depend on another tool's record") {
    Breaking b;
    b.describe({{"terraformlockid",
                 base64_encode(as_bytes(R"({"ID":"x","Who":"ann@laptop","Created":"2001-01-01T00:00:00Z"})"))}});
    b.acquire(kTheirs);
    b.options.conditions.owner = {{"tool", "terraform"}, {"owner", "bob@laptop"}};
    CHECK(b.run()->outcome == Outcome::no_match);
    b.options.conditions.owner = {{"tool", "terraform"}, {"owner", "ann@laptop"}};
    b.options.conditions.older_than = minutes(5);
    CHECK(b.run()->outcome == Outcome::broken);
}

TEST_CASE("a lease whose age no record tells is never old enough") {
    Breaking b;
    b.acquire(kTheirs);
    b.clock.advance(std::chrono::hours(1000));
    b.options.conditions.older_than = seconds(1);
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(b.state() == "leased");
}

TEST_CASE("a lease that fits the conditions is broken under the version that was read") {
    Breaking b;
    b.hold(kTheirs, "deploy", -1);
    b.clock.advance(minutes(10));
    b.options.conditions.owner = {{"owner", "deploy"}, {"fence", "1"}};
    b.options.conditions.fence = 1;
    b.options.conditions.older_than = minutes(9);
    b.service.clear_log();
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(b.sent("Lease Blob").get("If-Match") == '"' + b.view().etag + '"');
}

TEST_CASE("a newer holder that came after the look is not hit") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.period = 0;
    SECTION("with a condition") {
        b.options.conditions.owner = {{"owner", "deploy"}};
    }
    SECTION("because the holder is dead") {
        b.options.holder_is_dead = true;
        b.options.conditions.fence = 1;
    }
    b.on_lease("break").nth(1).meanwhile([&] {
        b.release(kTheirs);
        b.hold(kOurs, "newer");
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::no_match);
    CHECK(b.holder() == kOurs);
    CHECK(b.state() == "leased");
}

TEST_CASE("a holder that writes the blob meanwhile is still the one that was meant") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.conditions.owner = {{"owner", "deploy"}};
    b.options.period = 0;
    b.on_lease("break").nth(1).meanwhile([&] {
        auto metadata = b.view().metadata;
        metadata["job"] = "18";
        b.describe(metadata, kTheirs);
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(b.state() == "broken");
}

TEST_CASE("a break that the holder's writes keep from its version gives up") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.conditions.owner = {{"owner", "deploy"}};
    b.on_lease("break").from(1).meanwhile([&] { b.describe(b.view().metadata, kTheirs); });
    const auto report = b.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
}

TEST_CASE("a break whose answer was lost is repeated") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    const bool bound = GENERATE(false, true);
    if (bound) b.options.conditions.owner = {{"owner", "deploy"}};
    SECTION("carried out") {
        b.on_lease("break").nth(1).drop_reply();
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(report->seconds_left >= 36);
        CHECK(b.state() == "breaking");
    }
    SECTION("not carried out") {
        b.on_lease("break").nth(1).lose_request();
        REQUIRE(b.run());
        CHECK(b.state() == "breaking");
    }
    SECTION("carried out, and then somebody wrote: the lease is forgotten") {
        b.options.period = 0;
        b.on_lease("break").nth(1).with("lost, then a write",
                                        [&](const test::FaultCall& call) -> Result<http::Response> {
                                            (void)call.forward(call.request);
                                            b.describe({{"by", "somebody"}});
                                            Error error = make_error(ErrorCode::unavailable, "the connection broke");
                                            error.fault = TransportFault::reset;
                                            error.may_have_applied = true;
                                            return fail(error);
                                        });
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(b.state() == "available");
    }
}

TEST_CASE("what nobody holds is not broken") {
    Breaking b;
    const bool must = GENERATE(false, true);
    b.options.must_be_leased = must;
    SECTION("available") {
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
    SECTION("broken") {
        b.acquire(kTheirs);
        b.break_it();
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
    SECTION("expired: its holder could renew it") {
        b.acquire(kTheirs, 15);
        b.clock.advance(seconds(16));
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == (must ? Outcome::not_leased : Outcome::broken));
        CHECK(b.state() == (must ? "expired" : "broken"));
    }
    SECTION("released after the look") {
        b.acquire(kTheirs);
        b.on_lease("break").nth(1).meanwhile([&] { b.release(kTheirs); });
        const auto report = b.run();
        REQUIRE(report);
        CHECK(report->outcome == Outcome::not_leased);
    }
}

TEST_CASE("a dead holder's lease is broken at once, its record marked, and the blob free") {
    Breaking b;
    b.options.holder_is_dead = true;
    SECTION("leased") {
        b.hold(kTheirs, "deploy", -1);
    }
    SECTION("being broken") {
        b.hold(kTheirs, "deploy");
        b.break_it(30);
    }
    SECTION("broken before") {
        b.hold(kTheirs, "deploy");
        b.break_it(0);
    }
    SECTION("expired") {
        b.hold(kTheirs, "deploy", 15);
        b.clock.advance(seconds(16));
    }
    SECTION("the mark's answer is lost") {
        b.hold(kTheirs, "deploy");
        b.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    }
    SECTION("the break's answer is lost") {
        b.hold(kTheirs, "deploy");
        b.on_lease("break").nth(1).drop_reply();
    }
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    CHECK(report->seconds_left == 0);
    CHECK(report->dead_mark == true);
    CHECK(b.state() == "available");
    const auto head = b.peer.client().get_properties(b.blob, {}, {});
    REQUIRE(head);
    CHECK(holder_is_dead(head->properties.metadata));
    CHECK(head->properties.metadata.at("job") == "17");
}

TEST_CASE("a dead holder without a record is freed, and nothing is marked") {
    Breaking b;
    b.acquire(kTheirs);
    b.options.holder_is_dead = true;
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->dead_mark == true);
    CHECK(b.state() == "available");
    CHECK(b.view().metadata.empty());
}

TEST_CASE("who takes the lease between the break and the mark is left alone") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] { b.acquire(kOurs, 60); });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->dead_mark == false);
    CHECK(b.holder() == kOurs);
    CHECK(!holder_is_dead(b.peer.client().get_properties(b.blob, {}, {})->properties.metadata));
}

TEST_CASE("a mark does not overwrite the record of who came and went meanwhile") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").nth(1).meanwhile([&] {
        b.hold(kOurs, "newer");
        b.release(kOurs);
    });
    const auto report = b.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->outcome == Outcome::broken);
    const auto head = b.peer.client().get_properties(b.blob, {}, {});
    CHECK(read_owner_record(head->properties.metadata).owner == "newer");
    CHECK(!holder_is_dead(head->properties.metadata));
}

TEST_CASE("a mark that cannot be written is an error that says what was done") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.holder_is_dead = true;
    b.faulty.on("Set Blob Metadata").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto report = b.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::auth);
    CHECK(report.error().message.find("the lease is broken") != std::string::npos);
}

TEST_CASE("a dry run says what would be done and does nothing") {
    Breaking b;
    b.hold(kTheirs, "deploy");
    b.options.dry_run = true;
    b.options.holder_is_dead = GENERATE(false, true);
    const auto report = b.run();
    REQUIRE(report);
    CHECK(report->outcome == Outcome::would_break);
    CHECK(report->period == (b.options.holder_is_dead ? 0 : 38));
    CHECK(b.state() == "leased");
    CHECK(b.period() == "no break");
}

TEST_CASE("waiting until it is free looks again at the end of the period") {
    Breaking b;
    b.acquire(kTheirs);
    b.options.period = 20;
    REQUIRE(b.run());
    const BootTime start = b.clock.now();
    const auto seen = wait_until_free(b.us.client(), b.blob, 20, {});
    INFO(why(seen));
    REQUIRE(seen);
    CHECK(seen->lease.state == "broken");
    CHECK(b.clock.now() - start <= seconds(21));
    std::stop_source stop;
    stop.request_stop();
    CHECK(!wait_until_free(b.us.client(), b.blob, 20, {kNoDeadline, stop.get_token()}));
}

TEST_CASE("a container's break is bound to the time of its last change") {
    Breaking b;
    b.blob.blob.clear();
    OwnerRecord record;
    record.owner = "deploy";
    b.must(b.peer.client().set_container_metadata("box", with_owner_record({}, record), {}, {}));
    b.acquire(kTheirs);
    b.options.conditions.owner = {{"owner", "deploy"}};
    SECTION("unchanged") {
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::broken);
        CHECK(b.sent("Lease Container", 2).has("If-Unmodified-Since"));
    }
    SECTION("changed meanwhile") {
        b.clock.advance(seconds(10));
        b.on_lease("break").nth(1).meanwhile([&] {
            record.owner = "newer";
            b.must(b.peer.client().set_container_metadata("box", with_owner_record({}, record), {}, {}));
        });
        const auto report = b.run();
        INFO(why(report));
        REQUIRE(report);
        CHECK(report->outcome == Outcome::no_match);
    }
}

}  // namespace azlock::ops
