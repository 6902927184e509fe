// A delete as a user asks for it.
#include "ops/lease/owner_record.hpp"
#include "support/catch.hpp"
#include "unit/ops/write/deletion_rig.hpp"

namespace azlock::ops {
using test::Deletion;

TEST_CASE("a delete as a user asks for it deletes, or a dry run says what would be deleted") {
    Deletion r;
    const auto asked = [&](bool dry_run) {
        return delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, dry_run, {});
    };
    SECTION("a dry run only looks") {
        const auto report = asked(true);
        REQUIRE(report);
        CHECK(!report->deleted);
        CHECK(report->seen->content_length == 3);
        CHECK(report->seen->etag == r.etag());
        CHECK(r.rig.service.operations() == std::vector<std::string>{"Get Blob Properties"});
    }
    SECTION("a dry run under a condition that does not hold") {
        r.options.conditions.if_match = "\"0x0\"";
        const bool dry_run = GENERATE(true, false);
        CHECK(asked(dry_run).error().code == ErrorCode::precondition);
    }
    SECTION("it is deleted") {
        const auto report = asked(false);
        REQUIRE(report);
        CHECK(report->deleted);
        CHECK(!report->seen);
        CHECK(!r.rig.content());
        return;
    }
    SECTION("If-None-Match, which the service ignores, is refused and nothing is sent") {
        r.options.conditions.if_none_match = "*";
        const bool dry_run = GENERATE(true, false);
        CHECK(asked(dry_run).error().code == ErrorCode::usage);
        CHECK(r.rig.service.requests() == 0);
    }
    CHECK(r.rig.content() == "old");
}

TEST_CASE("a lock whose command may run is not deleted, unless that is forced") {
    Deletion r;
    azure::BlobClient& peer = r.rig.peer.client();
    const azure::Metadata running{{"azl_slots", "1"}, {"azl_owner", "ci"}, {"azl_kill_after", "10s"}};
    const auto record = [&](const azure::Metadata& metadata) {
        REQUIRE(peer.set_metadata(r.rig.blob, metadata, {}, {}));
    };
    r.options.spare_locks = true;
    SECTION("under the holder's own lease id, too") {
        record(running);
        r.options.conditions.lease_id = peer.acquire_lease(r.rig.blob, 60, {}, {}, {}).value().lease_id;
        const bool dry_run = GENERATE(false, true);
        const auto refused = delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, dry_run, {});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::busy);
        CHECK(refused.error().message == "it is a lock, held by ci");
        CHECK(r.rig.content() == "old");
    }
    SECTION("the lease was broken") {
        record(running);
        REQUIRE(peer.acquire_lease(r.rig.blob, -1, {}, {}, {}));
        REQUIRE(peer.break_lease(r.rig.blob, 0, {}, {}));
        const auto refused = delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::busy);
        CHECK(refused.error().message == "it is a lock whose command may still run: ci");
        CHECK(r.rig.content() == "old");
        r.options.spare_locks = false;
        CHECK(delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {}));
        CHECK(!r.rig.content());
    }
    SECTION("somebody had the lock, and it was broken, after azlock had looked") {
        record(with_ended_mark(running));
        r.rig.faulty.on("Delete Blob").meanwhile([&] {
            record(running);
            REQUIRE(peer.acquire_lease(r.rig.blob, -1, {}, {}, {}));
            REQUIRE(peer.break_lease(r.rig.blob, 0, {}, {}));
        });
        const auto refused = delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::busy);
        CHECK(r.rig.content() == "old");
    }
    SECTION("a lock that was left in good order is deleted") {
        record(with_ended_mark(running));
        CHECK(delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {}));
        CHECK(!r.rig.content());
    }
    SECTION("without the right to read, azlock deletes without knowing") {
        r.rig.faulty.on("Get Blob Properties").return_status(403, "AuthorizationPermissionMismatch");
        CHECK(delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {}));
        CHECK(!r.rig.content());
    }
}

TEST_CASE("a delete as a user asks for it takes one condition: nothing is sent") {
    Deletion r;
    r.options.conditions.if_match = "e";
    r.options.conditions.if_unmodified_since = "Sat, 21 Nov 2026 12:00:00 GMT";
    const auto deleted = delete_as_asked(r.rig.us.client(), r.rig.blob, r.options, false, {});
    REQUIRE(!deleted);
    CHECK(deleted.error().code == ErrorCode::usage);
    CHECK(r.rig.service.requests() == 0);
}

}  // namespace azlock::ops
