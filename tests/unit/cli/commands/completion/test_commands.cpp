// completion, and the program without a command.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("completion prints a script for each shell, and the whole command tree as JSON") {
    CommandRig rig;
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Ran ran = rig.run({"completion", shell});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("azlock") != std::string::npos);
    }
    const auto json = rig.run_json({"completion"}).json();
    CHECK(json.at("command") == "azlock");
    CHECK(json.at("commands").size() > 15);
    check_failure(rig, {"completion", "tcsh"}, 64, "usage");
    check_failure_text(rig, {"completion"}, 64, "no shell was given");
}

TEST_CASE("the program itself has help, a version, and one line for what it does not understand") {
    CommandRig rig;
    CHECK(rig.run({"--help"}).out.find("Exit codes:") != std::string::npos);
    CHECK(rig.run({"lock", "--help"}).out.find("azlock lock deploy") != std::string::npos);
    CHECK(rig.run_json({"--version"}).json().at("libraries").contains("CLI11"));
    check_failure(rig, {}, 64, "usage");
    check_failure(rig, {"uplaod"}, 64, "usage");
    check_failure_text(rig, {"show", "--xyzzy"}, 64, "see 'azlock show --help'");
}

TEST_CASE("without an account every command says which settings are missing") {
    CommandRig rig;
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
    check_failure(rig, {"show", "box/data"}, 78, "config");
    check_failure_text(rig, {"list"}, 78, "AZURE_STORAGE");
}

}  // namespace azlock::test
