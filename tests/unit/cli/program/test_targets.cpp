// A target that a command cannot work on is refused before anything is sent, and the message shows no secret.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("a command about a blob refuses a container: 64") {
    CommandRig rig;
    const std::string file = rig.dir.write("file", "x");
    const std::vector<std::string> command = GENERATE_COPY(
        std::vector<std::string>{"download", "BOX", file + ".copy"}, std::vector<std::string>{"delete", "BOX"},
        std::vector<std::string>{"verify", file, "BOX"}, std::vector<std::string>{"watch", "BOX", "--", "false"},
        std::vector<std::string>{"cas-update", "BOX", "--add", "1"});
    const auto with = [&](const std::string& target) {
        std::vector<std::string> out = command;
        std::replace(out.begin(), out.end(), std::string("BOX"), target);
        return out;
    };
    check_failure(rig, with("box"), 64, "usage");
    check_failure_text(rig, with("box"), 64, "azlock: 'box' names no blob");
    const Ran told =
        rig.run(with(std::string("http://127.0.0.1:10000/") + kRigAccount + "/box?sv=2023-11-03&sig=HUSH"));
    CHECK(told.code == 64);
    CHECK(told.err.find("'box' names no blob") != std::string::npos);
    CHECK(told.err.find("HUSH") == std::string::npos);
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a command about a container refuses a blob, and shows no secret: 64") {
    CommandRig rig;
    const Ran told =
        rig.run({"container", "show",
                 std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/data?sv=2023-11-03&sig=HUSH"});
    CHECK(told.code == 64);
    CHECK(told.err == "azlock: 'box/data' names a blob, not a container\n");
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a command that changes or follows a blob refuses a snapshot: 64") {
    CommandRig rig(CommandRig::Time::real);
    const std::string file = rig.dir.write("file", "x");
    const std::string snapshot = CommandRig::snapshot_of("data");
    for (const auto& [command, done] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"upload", file, snapshot}, "written"},
             {{"upload", "-", snapshot}, "written"},
             {{"resume", file, snapshot}, "written"},
             {{"append", snapshot, file}, "written"},
             {{"cas-update", snapshot, "--add", "1"}, "written"},
             {{"watch", snapshot, "--", "false"}, "watched"},
             {{"lease", "acquire", snapshot}, "leased"}}) {
        check_failure(rig, command, 64, "usage");
        check_failure_text(rig, command, 64, "azlock: a snapshot cannot be " + done);
    }
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::test
