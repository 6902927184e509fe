// upload over the blob of a lock: where azlock looks at the blob before it writes, it leaves the lock's record alone.
#include "ops/lease/owner_record.hpp"
#include "unit/cli/commands/upload/upload_command_rig.hpp"

namespace azlock::test {

TEST_CASE("an upload that has seen a lock whose command may run does not replace it") {
    UploadCommandRig rig;
    rig.service.make_container("locks");
    rig.service.put("locks", "deploy", "");
    Actor peer(rig.service, rig.clock(), 3);
    const azure::BlobAddress lock{"locks", "deploy", {}};
    ops::OwnerRecord record;
    record.owner = "deploy";
    record.kill_after = std::chrono::seconds(10);
    const azure::Metadata running = ops::with_owner_record({}, record);
    REQUIRE(peer.client().set_metadata(lock, running, {}, {}));
    const std::string small = rig.dir.write("small", "x");
    const std::string large = rig.dir.write("large", std::string(200'000, 'x'));
    SECTION("it may run") {
        check_failure(rig, {"upload", small, "locks/deploy", "--skip-unchanged"}, 75, "busy");
        check_failure(rig, {"upload", large, "locks/deploy", "--block-size", "64KiB"}, 75, "busy");
        check_failure(rig, {"upload", small, "locks/deploy", "--replace-type"}, 75, "busy");
        CHECK(rig.service.peek("locks", "deploy")->metadata.contains("azl_owner"));
    }
    SECTION("it has ended") {
        REQUIRE(peer.client().set_metadata(lock, ops::with_ended_mark(running), {}, {}));
        CHECK(rig.run({"upload", small, "locks/deploy", "--skip-unchanged"}).code == 0);
    }
    SECTION("the holder writes it under its lease") {
        const auto lease = peer.client().acquire_lease(lock, 60, {}, {}, {});
        REQUIRE(lease);
        CHECK(rig.run({"upload", small, "locks/deploy", "--skip-unchanged", "--lease-id", lease->lease_id}).code == 0);
    }
}

}  // namespace azlock::test
