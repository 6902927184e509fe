// Finds out what a credential may do: without doing it, or on a blob that is deleted afterwards.
#include "ops/doctor/permission_probe.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using Outcome = Probe::Outcome;
using test::Rig;

const Probe& find(const std::vector<Probe>& probes, const std::string& name) {
    for (const Probe& probe : probes) {
        if (probe.permission == name) return probe;
    }
    FAIL("no such probe: " + name);
    return probes.front();
}

azure::Call no_limit() {
    return {};
}

std::vector<Probe> with_blob(Rig& rig) {
    return probe_with_blob(rig.us.client(), "box", {}, no_limit);
}

// Whatever a probe has left in the container.
std::vector<std::string> left_behind(Rig& rig) {
    std::vector<std::string> out;
    const auto page = rig.peer.client().list_blobs("box", {}, {});
    REQUIRE(page);
    for (const auto& blob : page->blobs) out.push_back(blob.name);
    return out;
}

}  // namespace

TEST_CASE("with all rights every permission is found, and nothing was written") {
    Rig rig;
    const auto probes = probe_permissions(rig.us.client(), "box", {});
    REQUIRE(probes.size() == 5);
    for (const Probe& probe : probes) {
        INFO(probe.permission);
        CHECK(probe.outcome == Outcome::allowed);
    }
    CHECK(left_behind(rig).empty());
    CHECK(rig.done("Put Blob") == 0);
    CHECK(rig.done("Lease Blob") == 0);
    CHECK(rig.done("Create Container") == 0);
}

TEST_CASE("a permission that is lacking is told with the service's own code, and no other") {
    Rig rig;
    struct Case {
        const char* operation;
        const char* permission;
    };
    const auto lacking = GENERATE(Case{"List Blobs", "list"}, Case{"Put Blob", "write"}, Case{"Lease Blob", "lease"},
                                  Case{"Delete Blob", "delete"}, Case{"Create Container", "create_container"});
    rig.faulty.on(lacking.operation).nth(1).return_status(403, "AuthorizationPermissionMismatch");
    for (const Probe& probe : probe_permissions(rig.us.client(), "box", {})) {
        INFO(probe.permission);
        const bool refused = probe.permission == lacking.permission;
        CHECK(probe.outcome == (refused ? Outcome::refused : Outcome::allowed));
        if (refused) CHECK(probe.error->service_code == "AuthorizationPermissionMismatch");
    }
}

TEST_CASE("reading is found out at the blob, and at one that is not there") {
    Rig rig;
    CHECK(probe_read(rig.us.client(), {"box", "", {}}, {}).outcome == Outcome::allowed);
    const Probe missing = probe_read(rig.us.client(), rig.blob, {});
    CHECK(missing.outcome == Outcome::allowed);
    CHECK(missing.note.find("box/data") != std::string::npos);
    rig.service.put("box", "data", "text");
    CHECK(probe_read(rig.us.client(), rig.blob, {}).note.empty());
}

TEST_CASE("a container that is not there, and no answer, tell nothing of the rights") {
    Rig rig;
    const Probe missing = probe_read(rig.us.client(), {"none", "", {}}, {});
    CHECK(missing.outcome == Outcome::unknown);
    CHECK(missing.error->service_code == "ContainerNotFound");
    rig.faulty.on("Get Blob Properties").from(1).fail_before();
    const Probe silent = probe_read(rig.us.client(), rig.blob, {});
    CHECK(silent.outcome == Outcome::unknown);
    CHECK(silent.error->code == ErrorCode::unavailable);
}

TEST_CASE("a private container that is hidden from the public is a refusal") {
    Rig rig;
    rig.faulty.on("Get Blob Properties").nth(1).return_status(404, "ResourceNotFound");
    CHECK(probe_read(rig.us.client(), rig.blob, {}).outcome == Outcome::refused);
}

TEST_CASE("a blob made for it is written, read, leased and deleted") {
    Rig rig;
    const auto probes = with_blob(rig);
    REQUIRE(probes.size() == 4);
    for (const Probe& probe : probes) CHECK(probe.outcome == Outcome::allowed);
    CHECK(rig.done("Put Blob") == 1);
    CHECK(rig.done("Delete Blob") == 1);
    CHECK(left_behind(rig).empty());
}

TEST_CASE("a blob made for it is deleted whatever else is refused") {
    Rig rig;
    const auto* operation = GENERATE("Get Blob", "Lease Blob");
    rig.faulty.on(operation).nth(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto probes = with_blob(rig);
    CHECK(find(probes, "delete").outcome == Outcome::allowed);
    CHECK(left_behind(rig).empty());
}

TEST_CASE("a blob made for it that cannot be deleted is named") {
    Rig rig;
    rig.faulty.on("Delete Blob").nth(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto probes = with_blob(rig);
    const auto left = left_behind(rig);
    REQUIRE(left.size() == 1);
    CHECK(left[0].starts_with("azlock-doctor-"));
    CHECK(find(probes, "delete").note.find(left[0]) != std::string::npos);
}

TEST_CASE("where the write was refused there is nothing to delete") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto probes = with_blob(rig);
    REQUIRE(probes.size() == 1);
    CHECK(probes[0].outcome == Outcome::refused);
    CHECK(rig.service.requests("Delete Blob") == 0);
}

TEST_CASE("where the write's answer is lost for good the blob is deleted all the same") {
    Rig rig;
    rig.faulty.on("Put Blob").nth(1, 6).drop_reply();
    (void)with_blob(rig);
    CHECK(left_behind(rig).empty());
}

}  // namespace azlock::ops
