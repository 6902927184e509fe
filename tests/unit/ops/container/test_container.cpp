// A container is made once, and deleted only by somebody who means it.
#include "ops/container/container.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

struct Deletion {
    Result<bool> run() { return delete_container(rig.us.client(), "box", order, {}); }
    [[nodiscard]] bool exists() { return rig.peer.client().get_container_properties("box", {}, {}).has_value(); }
    // The operator types this.
    void answer(Result<std::string> typed) {
        order.ask = [this, typed = std::move(typed)](const std::string& question) {
            asked = question;
            return typed;
        };
    }
    test::Rig rig;
    DeleteContainer order;
    std::string asked;
};

}  // namespace

TEST_CASE("a container that exists is an error, unless only its absence is a reason to make it") {
    test::Rig rig;
    azure::BlobClient& client = rig.us.client();
    CHECK(create_container(client, "new", {{"team", "infra"}}, true, {}) == true);
    CHECK(client.get_container_properties("new", {}, {}).value().metadata.at("team") == "infra");
    CHECK(create_container(client, "new", {}, true, {}) == false);
    const auto again = create_container(client, "new", {}, false, {});
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::precondition);
    SECTION("any other refusal stays one") {
        rig.faulty.on("Create Container").nth(1).return_status(403, "AuthorizationFailure");
        const auto refused = create_container(client, "other", {}, true, {});
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::auth);
    }
}

TEST_CASE("a container is deleted after its name was typed") {
    Deletion deletion;
    SECTION("the name") {
        deletion.answer("box");
        CHECK(deletion.run() == true);
        CHECK(deletion.asked.find("'box' and all blobs in it?") != std::string::npos);
        CHECK(!deletion.exists());
    }
    SECTION("already confirmed: nobody is asked") {
        deletion.answer("no");
        deletion.order.confirmed = true;
        CHECK(deletion.run() == true);
        CHECK(deletion.asked.empty());
        CHECK(!deletion.exists());
    }
}

TEST_CASE("a container stays if its deletion is not confirmed") {
    Deletion deletion;
    ErrorCode code = ErrorCode::usage;
    SECTION("something else was typed") {
        deletion.answer("y");
    }
    SECTION("nobody can be asked") {}
    SECTION("a signal came") {
        code = ErrorCode::cancelled;
        deletion.answer(fail(code, "stopped"));
    }
    const auto done = deletion.run();
    REQUIRE(!done);
    CHECK(done.error().code == code);
    CHECK(deletion.rig.service.requests() == 0);
    CHECK(deletion.exists());
}

TEST_CASE("a dry run looks, and asks nobody") {
    Deletion deletion;
    deletion.order.dry_run = true;
    CHECK(deletion.run() == false);
    CHECK(deletion.exists());
    const auto missing = delete_container(deletion.rig.us.client(), "nowhere", deletion.order, {});
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::not_found);
}

TEST_CASE("a leased container is deleted only with the lease id") {
    Deletion deletion;
    deletion.order.confirmed = true;
    const auto lease = deletion.rig.peer.client().acquire_lease({"box", {}, {}}, -1, {}, {}, {});
    REQUIRE(lease);
    REQUIRE(!deletion.run());
    deletion.order.lease_id = lease->lease_id;
    CHECK(deletion.run() == true);
}

TEST_CASE("a container is deleted only if none of its blobs is in use, unless it is forced") {
    Deletion deletion;
    deletion.order.confirmed = true;
    azure::BlobClient& peer = deletion.rig.peer.client();
    // The record of an azlock with a command, as the lock writes it.
    const auto lock = [&](const std::string& name) {
        deletion.rig.service.put("box", name, "");
        REQUIRE(peer.set_metadata({"box", name, {}}, {{"azl_owner", "ci"}, {"azl_kill_after", "10s"}}, {}, {}));
    };
    std::string named;
    SECTION("leased: it is named with its holder") {
        lock("a");
        REQUIRE(peer.acquire_lease({"box", "a", {}}, -1, {}, {}, {}));
        named = "1 blob in use: a, held by ci";
    }
    SECTION("the first three of many are named") {
        for (const char* name : {"a", "b", "c", "d", "e"}) {
            deletion.rig.service.put("box", name, "");
            REQUIRE(peer.acquire_lease({"box", name, {}}, -1, {}, {}, {}));
        }
        named =
            "5 blobs in use: a, held by somebody who left no record; b, held by somebody who left no record; "
            "c, held by somebody who left no record; and 2 more";
    }
    SECTION("broken: the command of its holder may still run") {
        lock("a");
        REQUIRE(peer.acquire_lease({"box", "a", {}}, -1, {}, {}, {}));
        REQUIRE(peer.break_lease({"box", "a", {}}, 0, {}, {}));
        named = "1 blob in use: a, whose command may still run: ci";
    }
    for (const bool dry_run : {true, false}) {
        deletion.order.dry_run = dry_run;
        deletion.order.force = false;
        const auto refused = deletion.run();
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::busy);
        CHECK(refused.error().message == "container 'box' has " + named);
        CHECK(deletion.exists());
        deletion.order.force = true;
        CHECK(deletion.run() == !dry_run);
        CHECK(deletion.exists() == dry_run);
    }
}

TEST_CASE("without the right to list the blobs a container is deleted only by force") {
    Deletion deletion;
    deletion.order.confirmed = true;
    deletion.rig.faulty.on("List Blobs").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto refused = deletion.run();
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::auth);
    CHECK(refused.error().hint == "--force deletes the container without a look at its blobs");
    CHECK(deletion.exists());
    deletion.order.force = true;
    CHECK(deletion.run() == true);
}

TEST_CASE("a container whose blobs had leases that are over is deleted") {
    Deletion deletion;
    deletion.order.confirmed = true;
    azure::BlobClient& peer = deletion.rig.peer.client();
    deletion.rig.service.put("box", "expired", "");
    REQUIRE(peer.set_metadata({"box", "expired", {}}, {{"azl_owner", "ci"}, {"azl_kill_after", "10s"}}, {}, {}));
    REQUIRE(peer.acquire_lease({"box", "expired", {}}, 15, {}, {}, {}));
    deletion.rig.service.put("box", "broken", "");
    REQUIRE(peer.acquire_lease({"box", "broken", {}}, -1, {}, {}, {}));
    REQUIRE(peer.break_lease({"box", "broken", {}}, 0, {}, {}));
    deletion.rig.clock.advance(std::chrono::seconds(16));
    CHECK(deletion.run() == true);
}

}  // namespace azlock::ops
