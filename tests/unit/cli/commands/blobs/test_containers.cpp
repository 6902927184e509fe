// container, as a user types it.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("container makes, shows and deletes containers") {
    CommandRig rig;
    SECTION("create") {
        CHECK(rig.run_json({"container", "create", "new"}).json().at("created") == true);
        check_failure(rig, {"container", "create", "new"}, 73, "precondition");
        CHECK(rig.run({"container", "create", "new", "--if-absent"}).code == 0);
    }
    SECTION("show") {
        CHECK(rig.run_json({"container", "show", "box"}).json().contains("etag"));
    }
    SECTION("delete needs --yes without a terminal: 64") {
        check_failure(rig, {"container", "delete", "box"}, 64, "usage");
        CHECK(rig.run({"container", "delete", "box", "--yes"}).code == 0);
        check_failure(rig, {"container", "show", "box"}, 79, "not_found");
    }
    SECTION("delete asks at a terminal, and deletes only if the name is typed") {
        std::string answer = "bow";
        rig.ask = [&](const std::string& question, const std::stop_token&) -> Result<std::string> {
            CHECK(question.find("box") != std::string::npos);
            return answer;
        };
        check_failure(rig, {"container", "delete", "box"}, 64, "usage");
        answer = "box";
        CHECK(rig.run({"container", "delete", "box"}).code == 0);
        check_failure(rig, {"container", "show", "box"}, 79, "not_found");
    }
    check_usual_failures(rig, {"container", "show", "box"}, {"container", "show", "nowhere"});
}

TEST_CASE("container create and delete say in words what they did") {
    CommandRig rig;
    SECTION("create") {
        const Ran made = rig.run({"container", "create", "new"});
        CHECK(made.out.empty());
        CHECK(made.err == "azlock: created container new\n");
        CHECK(rig.run({"container", "create", "new", "--if-absent"}).err == "azlock: container new existed already\n");
        const auto json = rig.run_json({"container", "create", "new", "--if-absent"}).json();
        CHECK(json.at("target") == "new");
        CHECK(json.at("created") == false);
    }
    SECTION("delete") {
        CHECK(rig.run({"container", "delete", "box", "--dry-run"}).err ==
              "azlock: would delete container box and all blobs in it\n");
        CHECK(rig.run_json({"container", "delete", "box", "--dry-run"}).json().at("deleted") == false);
        REQUIRE(rig.run({"container", "create", "old"}).code == 0);
        CHECK(rig.run_json({"container", "delete", "old", "--yes"}).json().at("deleted") == true);
        const Ran gone = rig.run({"container", "delete", "box", "--yes"});
        CHECK(gone.code == 0);
        CHECK(gone.err == "azlock: deleted container box\n");
    }
    SECTION("a blob is no container: 64") {
        check_failure(rig, {"container", "delete", "box/data", "--yes"}, 64, "usage");
    }
}

TEST_CASE("container create fails with the usual codes, and with 73 if the container is there") {
    CommandRig rig;
    const std::vector<std::string> create{"container", "create", "new"};
    SECTION("the credential is refused: 77") {
        check_refused(rig, create);
    }
    SECTION("there is no connection: 69") {
        check_unavailable(rig, create);
    }
    SECTION("it is there: 73, and it stays as it is") {
        rig.service.make_container("new");
        rig.service.put("new", "data", "x");
        check_failure(rig, create, 73, "precondition");
        check_failure_text(rig, create, 73, "new");
        CHECK(rig.service.content("new", "data") == "x");
    }
}

TEST_CASE("container delete fails with the usual codes") {
    CommandRig rig;
    check_usual_failures(rig, {"container", "delete", "box", "--yes"}, {"container", "delete", "nowhere", "--yes"});
}

}  // namespace azlock::test
