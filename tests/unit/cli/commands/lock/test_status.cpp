// lock --status, as a user types it: who holds the lock and its slots; nothing is run or changed.
#include "ops/lease/owner_record.hpp"
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

struct StatusRig : CommandRig {
    StatusRig() { service.make_container("locks"); }
    // Somebody holds this blob of a lock with two slots.
    void hold(const std::string& name, const std::string& owner) {
        service.put("locks", name, "");
        ops::OwnerRecord record;
        record.owner = owner;
        record.slots = 2;
        record.fence = 17;
        record.since = fake_clock.wall();
        Actor peer(service, clock(), 99);
        azure::Conditions held;
        held.lease_id = peer.client().acquire_lease({"locks", name, {}}, 60, {}, {}, {}).value().lease_id;
        REQUIRE(peer.client().set_metadata({"locks", name, {}}, with_owner_record({}, record), held, {}));
    }
};

}  // namespace

TEST_CASE("lock --status shows the holder of each slot that was ever used") {
    StatusRig rig;
    check_failure(rig, {"lock", "deploy", "--status"}, 79, "not_found");
    rig.hold("deploy", "ann");
    rig.fake_clock.advance(std::chrono::seconds(50));
    CHECK(rig.run({"lock", "deploy", "--status"}).out == "leased     50 s            locks/deploy  ann for 50 s\n");
    rig.hold("deploy.azlock.1", "bob");
    const auto json = rig.run_json({"lock", "deploy", "--status"}).json();
    CHECK(json.at("slots") == 2);
    CHECK(json.at("held") == 2);
    CHECK(json.at("each").at(0).at("fence") == 17);
    CHECK(json.at("each").at(1).at("holder") == "bob for 0 s");
    rig.fake_clock.advance(std::chrono::seconds(20));
    CHECK(rig.run_json({"lock", "deploy", "--status"}).json().at("held") == 1);
    CHECK(rig.run({"lock", "deploy", "--status"})
              .out.starts_with("expired    -               locks/deploy  (its holder stopped renewing it without "
                               "giving it back)\nleased "));
}

TEST_CASE("lock --status --watch tells each change, and no command goes with it") {
    StatusRig rig;
    rig.hold("deploy", "ann");
    const Ran ran = rig.run_json({"lock", "deploy", "--status", "--watch=5s", "--timeout", "90s"});
    CHECK(ran.code == 69);
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 2);
    CHECK(ran.out.find(R"("held":0)") != std::string::npos);
    check_failure_text(rig, {"lock", "deploy", "--status", "--", "true"}, 64, "--status runs no command");
    check_failure_text(rig, {"lock", "deploy", "--watch", "--", "true"}, 64, "--watch goes with --status");
}

}  // namespace azlock::test
