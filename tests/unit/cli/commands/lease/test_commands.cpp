// lease acquire, renew, change, release, break, show, list and keep, as a user types them.
#include "unit/cli/command_rig.hpp"
#include "unit/cli/prometheus_text.hpp"

namespace azlock::test {
namespace {

constexpr const char* kOther = "11111111-2222-3333-4444-555555555555";

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("lease acquire prints the lease id and nothing else") {
    CommandRig rig;
    rig.service.put("box", "data", "x");
    SECTION("text") {
        const Ran ran = rig.run({"lease", "acquire", "box/data"});
        CHECK(ran.code == 0);
        CHECK(first_line(ran.out) == rig.service.peek("box", "data")->lease_id);
        CHECK(ran.out.size() == 37);
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"lease", "acquire", "box/data", "--duration", "15s"}).json();
        CHECK(json.at("seconds") == 15);
        CHECK(json.at("lease_id") == rig.service.peek("box", "data")->lease_id);
    }
    SECTION("--create makes a missing blob") {
        const auto json = rig.run_json({"lease", "acquire", "box/new", "--create"}).json();
        CHECK(json.at("created") == true);
        CHECK(rig.lease_state("box", "new") == "leased");
        check_failure(rig, {"lease", "acquire", "box/none"}, 79, "not_found");
    }
    SECTION("--owner writes the record") {
        CHECK(rig.run({"lease", "acquire", "box/data", "--owner", "owner=deploy", "--owner", "team=infra"}).code == 0);
        const auto json = rig.run_json({"lease", "show", "box/data"}).json();
        CHECK(json.at("holder").at("owner") == "deploy");
        CHECK(json.at("holder").at("pid") == ::getppid());
        CHECK(json.at("holder").at("other").at("team") == "infra");
    }
    SECTION("--owner that is no field: 64, and there is no lease") {
        check_failure_text(rig, {"lease", "acquire", "box/data", "--owner", "deploy"}, 64, "--owner: 'deploy' is not");
        check_failure_text(rig, {"lease", "acquire", "box/data", "--owner", "fence=1"}, 64, "--owner: 'fence' is a");
        CHECK(rig.lease_state("box", "data") == "available");
    }
    SECTION("--wait until the lease of somebody else ends") {
        rig.lease("data", 15);
        const Ran ran = rig.run({"lease", "acquire", "box/data", "--wait", "1m"});
        CHECK(ran.code == 0);
        CHECK(ran.err.starts_with("azlock: waiting for box/data: held by somebody"));
        CHECK(first_line(ran.out) == rig.service.peek("box", "data")->lease_id);
    }
    SECTION("--wait is over first: 75") {
        rig.lease("data", 60);
        check_failure(rig, {"lease", "acquire", "box/data", "--wait", "10s"}, 75, "busy");
    }
    SECTION("a lease of somebody else: 75") {
        rig.lease("data");
        check_failure(rig, {"lease", "acquire", "box/data"}, 75, "busy");
        check_failure_text(rig, {"lease", "acquire", "box/data"}, 75, "it is leased by somebody");
    }
    SECTION("a duration that is not possible: 64") {
        check_failure(rig, {"lease", "acquire", "box/data", "--duration", "14s"}, 64, "usage");
    }
    check_usual_failures(rig, {"lease", "acquire", "box/data"}, {"lease", "acquire", "nowhere/data"});
}

TEST_CASE("lease renew, change and release act under the lease id that is given") {
    CommandRig rig;
    const std::string id = rig.lease("data");
    SECTION("renew") {
        CHECK(rig.run({"lease", "renew", "box/data", "--lease-id", id}).code == 0);
        CHECK(rig.run_json({"lease", "renew", "box/data", "--lease-id", id}).json().at("lease_id") == id);
    }
    SECTION("change") {
        const auto json = rig.run_json({"lease", "change", "box/data", "--lease-id", id, "--to", kOther}).json();
        CHECK(json.at("lease_id") == kOther);
        CHECK(rig.service.peek("box", "data")->lease_id == kOther);
    }
    SECTION("release") {
        CHECK(rig.run({"lease", "release", "box/data", "--lease-id", id}).code == 0);
        CHECK(rig.lease_state("box", "data") == "available");
    }
    for (const char* action : {"renew", "release"}) {
        SECTION(std::string(action) + " with an id of another lease: 75, and 73 if nobody has one") {
            check_failure(rig, {"lease", action, "box/data", "--lease-id", kOther}, 75, "busy");
            CHECK(rig.lease_state("box", "data") == "leased");
            REQUIRE(rig.run({"lease", "release", "box/data", "--lease-id", id}).code == 0);
            check_failure(rig, {"lease", action, "box/data", "--lease-id", kOther}, 73, "precondition");
        }
        SECTION(std::string(action) + " without an id: 64") {
            check_failure(rig, {"lease", action, "box/data"}, 64, "usage");
        }
    }
    SECTION("change without a new id: 64") {
        check_failure(rig, {"lease", "change", "box/data", "--lease-id", id}, 64, "usage");
    }
    check_usual_failures(rig, {"lease", "renew", "box/data", "--lease-id", id},
                         {"lease", "renew", "nowhere/data", "--lease-id", id});
}

TEST_CASE("lease change fails with the usual codes") {
    CommandRig rig;
    const std::string id = rig.lease("data");
    check_usual_failures(rig, {"lease", "change", "box/data", "--lease-id", id, "--to", kOther},
                         {"lease", "change", "nowhere/data", "--lease-id", id, "--to", kOther});
}

TEST_CASE("lease release fails with the usual codes") {
    CommandRig rig;
    const std::string id = rig.lease("data");
    check_usual_failures(rig, {"lease", "release", "box/data", "--lease-id", id},
                         {"lease", "release", "nowhere/data", "--lease-id", id});
}

TEST_CASE("lease show fails with the usual codes") {
    CommandRig rig;
    rig.lease("data");
    check_usual_failures(rig, {"lease", "show", "box/data"}, {"lease", "show", "nowhere/data"});
}

TEST_CASE("lease keep fails with the usual codes") {
    CommandRig rig;
    const std::string id = rig.lease("data", 15);
    check_usual_failures(rig, {"lease", "keep", "box/data", "--lease-id", id},
                         {"lease", "keep", "nowhere/data", "--lease-id", id});
}

TEST_CASE("lease renew, change, release and break say in words what they did") {
    CommandRig rig;
    const std::string id = rig.lease("data");
    const auto check = [&](const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
        CAPTURE(arguments);
        const Ran ran = rig.run(arguments);
        CHECK(ran.code == 0);
        CHECK(ran.out == out);
        CHECK(ran.err == err);
    };
    SECTION("renew") {
        check({"lease", "renew", "box/data", "--lease-id", id}, "", "azlock: renewed the lease of box/data\n");
        check({"-q", "lease", "renew", "box/data", "--lease-id", id}, "", "");
    }
    SECTION("change prints the new id and nothing else") {
        check({"lease", "change", "box/data", "--lease-id", id, "--to", kOther}, std::string(kOther) + "\n", "");
    }
    SECTION("release") {
        check({"lease", "release", "box/data", "--lease-id", id}, "", "azlock: released the lease of box/data\n");
    }
    SECTION("break") {
        const std::string holder = "held by somebody who left no record\n";
        check({"lease", "break", "box/data", "--period", "20", "--dry-run"},
              "box/data: would be broken in 20 s; it is " + holder, "");
        check({"lease", "break", "box/data", "--period", "20"}, "box/data: broken, free in 20 s; it was " + holder, "");
        check({"lease", "break", "box/data", "--period", "0"}, "box/data: broken, free now; it was " + holder, "");
        check({"lease", "break", "box/data"}, "box/data: was not leased: it was broken before\n", "");
        check({"lease", "break", "box", "--prefix", "d", "--yes"}, "", "azlock: no lease to break: 'd' in box\n");
    }
    SECTION("break --wait") {
        const std::string broken = "box/data: broken, free in 20 s; it was held by somebody who left no record";
        check({"lease", "break", "box/data", "--period", "20", "--wait"},
              "box/data: broken, free now; it was held by somebody who left no record\n",
              "azlock: " + broken + "; azlock waits until it is free\n");
    }
}

TEST_CASE("lease break --prefix reports each lease, also one that could not be broken") {
    CommandRig rig;
    rig.lease("a1");
    rig.lease("a2");
    rig.faulty.on(lease_action("break")).nth(1).return_status(400, "InvalidInput");
    SECTION("text") {
        const Ran ran = rig.run({"lease", "break", "box", "--prefix", "a", "--period", "0", "--yes"});
        CHECK(ran.out.find("box/a1: failed, ") == 0);
        CHECK(ran.out.find("\nbox/a2: broken, free now; it was held by somebody") != std::string::npos);
        CHECK(ran.err.find("1 of 2 leases could not be broken; the first: ") != std::string::npos);
        CHECK(ran.code == 64);
    }
    SECTION("JSON") {
        const Ran ran = rig.run_json({"lease", "break", "box", "--prefix", "a", "--period", "0", "--yes"});
        const std::size_t end = ran.out.find('\n');
        const auto failed = nlohmann::json::parse(ran.out.substr(0, end));
        CHECK(failed.at("outcome") == "failed");
        CHECK(failed.at("target") == "box/a1");
        CHECK(failed.at("error").at("service_code") == "InvalidInput");
        CHECK(nlohmann::json::parse(ran.out.substr(end + 1)).at("outcome") == "broken");
    }
}

TEST_CASE("lease show and list say who holds what") {
    CommandRig rig;
    rig.lease("held");
    rig.service.put("box", "free", "x");
    SECTION("show") {
        CHECK(rig.run_json({"lease", "show", "box/held"}).json().at("state") == "leased");
        CHECK(rig.run({"lease", "show", "box/free"}).out.find("available") != std::string::npos);
        check_failure(rig, {"lease", "show", "box/none"}, 79, "not_found");
    }
    SECTION("list") {
        const auto json = rig.run_json({"lease", "list", "box"}).json();
        CHECK(json.at("name") == "held");
        CHECK(rig.run({"lease", "list", "box", "--state", "all"}).out.find("free") != std::string::npos);
        CHECK(rig.run({"lease", "list", "az://"}).out.find("box/held") != std::string::npos);
        CHECK(rig.run_json({"lease", "list", "--containers", "--state", "all"}).json().at("name") == "box");
        check_failure(rig, {"lease", "list"}, 64, "usage");
    }
    check_usual_failures(rig, {"lease", "list", "box"}, {"lease", "list", "nowhere"});
}

TEST_CASE("lease list --prometheus tells who holds which lease, and for how long") {
    CommandRig rig;
    rig.lease("no record");
    rig.service.put("box", "free", "x");
    REQUIRE(rig.run({"lease", "acquire", "box/say \"hi\"", "--create", "--owner", "owner=a\\b"}).code == 0);
    rig.fake_clock.advance(std::chrono::seconds(30));
    const std::string place = GENERATE(as<std::string>{}, "box", "az://");
    const PrometheusText read(rig.run({"lease", "list", place, "--prometheus"}).out);
    CHECK(read.value("azlock_leases", "state", "leased") == 2);
    CHECK(read.value("azlock_leases", "state", "expired") == 0);
    CHECK(read.value("azlock_lease_held", "lease", "box/no record") == 1);
    CHECK(read.value("azlock_lease_held", "owner", "a\\b") == 1);
    CHECK(read.value("azlock_lease_held_seconds", "lease", "box/say \"hi\"") == 30);
    CHECK(read.samples().back().labels.at("account") == kRigAccount);
    CHECK(read.samples().front().labels.at("place") == (place == "box" ? "box" : "*"));
    check_failure(rig, {"lease", "list", "box", "--prometheus"}, 64, "usage");  // --json
    rig.fake_clock.advance(std::chrono::seconds(31));
    CHECK(PrometheusText(rig.run({"lease", "list", "box", "--prometheus"}).out).samples().size() == 4);
}

TEST_CASE("lease break ends a lease of somebody else") {
    CommandRig rig;
    rig.lease("data");
    SECTION("at once") {
        const auto json = rig.run_json({"lease", "break", "box/data", "--period", "0", "--yes"}).json();
        CHECK(json.at("outcome") == "broken");
        CHECK(rig.lease_state("box", "data") == "broken");
    }
    SECTION("--dry-run changes nothing") {
        CHECK(rig.run({"lease", "break", "box/data", "--dry-run"}).code == 0);
        CHECK(rig.lease_state("box", "data") == "leased");
    }
    SECTION("all leases of a prefix need --yes without a terminal: 64") {
        check_failure(rig, {"lease", "break", "box", "--prefix", "d"}, 64, "usage");
        CHECK(rig.run({"lease", "break", "box", "--prefix", "d", "--period", "0", "--yes"}).code == 0);
        CHECK(rig.lease_state("box", "data") == "broken");
    }
    SECTION("nobody holds it, but somebody must: 73") {
        rig.service.put("box", "free", "x");
        check_failure(rig, {"lease", "break", "box/free", "--must-be-leased", "--yes"}, 73, "precondition");
    }
    check_usual_failures(rig, {"lease", "break", "box/data", "--yes"}, {"lease", "break", "nowhere/data", "--yes"});
}

TEST_CASE("lease keep renews until it is stopped, and tells when the lease is lost") {
    CommandRig rig;
    const std::string id = rig.lease("data", 15);
    SECTION("somebody breaks it: 122") {
        rig.faulty.on(lease_action("renew")).nth(2).meanwhile([&] {
            Actor operator_of(rig.service, rig.fake_clock, 5);
            REQUIRE(operator_of.client().break_lease({"box", "data", {}}, 0, {}, {}));
        });
        const Ran ran = rig.run_json({"lease", "keep", "box/data", "--lease-id", id});
        CHECK(ran.code == 122);
        CHECK(ran.error().at("code") == "precondition");
    }
    SECTION("told to stop: 0, and the lease is released") {
        const bool json = GENERATE(false, true);
        rig.faulty.on(lease_action("renew")).nth(3).afterwards([] { ::kill(::getpid(), SIGTERM); });
        const std::vector<std::string> keep{"lease", "keep", "box/data", "--lease-id", id};
        const Ran ran = json ? rig.run_json(keep) : rig.run(keep);
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(rig.lease_state("box", "data") == "available");
        if (json) {
            CHECK(ran.json().at("released") == true);
            CHECK(ran.json().at("lease_id") == id);
            CHECK(ran.json().at("renewals") >= 3);
        } else {
            CHECK(ran.out.empty());
            CHECK(ran.err ==
                  "azlock: keeping the lease of box/data, 15 s at a time\n"
                  "azlock: released the lease of box/data\n");
        }
    }
    SECTION("the id of another lease: 75") {
        check_failure(rig, {"lease", "keep", "box/data", "--lease-id", kOther}, 75, "busy");
        check_failure_text(rig, {"lease", "keep", "box/data", "--lease-id", kOther}, 75, "box/data");
    }
    SECTION("no id: 64") {
        check_failure(rig, {"lease", "keep", "box/data"}, 64, "usage");
    }
}

TEST_CASE("lease commands give up within 30 s if no answer comes, unless the user gives them more time") {
    CommandRig rig;
    const std::string id = rig.lease("data");
    const BootTime start = rig.fake_clock.now();
    const std::vector<std::vector<std::string>> commands{
        {"lease", "show", "box/data"},
        {"lease", "acquire", "box/data"},
        {"lease", "acquire", "box/data", "--owner", "team=infra"},
        {"lease", "renew", "box/data", "--lease-id", id},
        {"lease", "change", "box/data", "--lease-id", id, "--to", "aaaaaaaa-1111-2222-3333-444444444444"},
        {"lease", "release", "box/data", "--lease-id", id},
        {"lease", "keep", "box/data", "--lease-id", id},
        {"lease", "break", "box/data", "--yes"}};
    SECTION("the service accepts and is silent") {
        for (const auto& command : commands) {
            CAPTURE(command);
            rig.faulty.on(any_request()).from(1).stall(false);
            const BootTime begin = rig.fake_clock.now();
            CHECK(rig.run(command).code == 69);
            CHECK(rig.fake_clock.now() - begin > std::chrono::seconds(10));
            CHECK(rig.fake_clock.now() - begin <= std::chrono::seconds(30));
            rig.faulty.clear();
        }
    }
    SECTION("it wants to be asked later") {
        rig.faulty.on(any_request()).from(1).return_status(503, "ServerBusy", std::chrono::seconds(60));
        for (auto command : commands) {
            CAPTURE(command);
            CHECK(rig.run(command).code == 69);
        }
        CHECK(rig.run({"lease", "list", "box"}).code == 69);
        CHECK(rig.fake_clock.now() == start);
    }
    SECTION("--timeout and --retries are the user's word") {
        rig.faulty.on(any_request()).from(1).return_status(503, "ServerBusy", std::chrono::seconds(40));
        CHECK(rig.run({"--retries", "1", "lease", "show", "box/data"}).code == 69);
        CHECK(rig.fake_clock.now() - start == std::chrono::seconds(40));
        CHECK(rig.run({"--timeout", "50s", "lease", "show", "box/data"}).code == 69);
        CHECK(rig.fake_clock.now() - start == std::chrono::seconds(80));
    }
}

TEST_CASE("lease show and break know locks by their names") {
    CommandRig rig;
    rig.service.make_container("locks");
    rig.service.put("locks", "deploy", "");
    rig.service.put("locks", "side.azlock", "");
    Actor peer(rig.service, rig.clock(), 3);
    REQUIRE(peer.client().acquire_lease({"locks", "deploy", {}}, 60, {}, {}, {}));
    CHECK(rig.run_json({"lease", "show", "--lock", "deploy"}).json().at("state") == "leased");
    CHECK(rig.run_json({"lease", "show", "--lock", "az://locks/side"}).json().at("target") == "locks/side.azlock");
    CHECK(rig.run({"lease", "break", "--lock", "deploy", "--container", "locks", "--period", "0", "--yes"}).code == 0);
    CHECK(rig.lease_state("locks", "deploy") == "broken");
    for (const char* command : {"show", "break"}) {
        check_failure_text(rig, {"lease", command, "deploy"}, 79, "if it is the name of a lock, add --lock");
        check_failure(rig, {"lease", command, "--lock", "none"}, 79, "not_found");
    }
    check_failure(rig, {"lease", "break", "--lock", "deploy", "--prefix", "x", "--yes"}, 64, "usage");
}

TEST_CASE("lease show and break reach each slot of a lock") {
    CommandRig rig;
    rig.service.make_container("locks");
    Actor peer(rig.service, rig.clock(), 3);
    for (const char* slot : {"db", "db.azlock.2"}) {  // nobody has had slot 1 yet
        rig.service.put("locks", slot, "");
        REQUIRE(peer.client().set_metadata({"locks", slot, {}}, {{"azl_slots", "3"}}, {}, {}));
    }
    REQUIRE(peer.client().acquire_lease({"locks", "db.azlock.2", {}}, 60, {}, {}, {}));
    const std::string all = rig.run({"lease", "show", "--lock", "db"}).out;
    CHECK(all.starts_with("locks/db\n"));
    CHECK(all.find("\nlocks/db.azlock.2\nstate:             leased\n") != std::string::npos);
    CHECK(rig.run_json({"lease", "show", "--lock", "db", "--slot", "0"}).json().at("state") == "available");
    CHECK(rig.run_json({"lease", "show", "--lock", "db", "--slot", "2"}).json().at("target") == "locks/db.azlock.2");
    CHECK(rig.run({"lease", "break", "--lock", "db", "--slot", "2", "--period", "0", "--yes"}).code == 0);
    CHECK(rig.lease_state("locks", "db.azlock.2") == "broken");
    check_failure(rig, {"lease", "show", "locks/db", "--slot", "2"}, 64, "usage");
}

}  // namespace azlock::test
