// --status-file: nothing of an earlier run is left in it, and it tells how this one ended.
#include <sys/stat.h>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

using Json = nlohmann::ordered_json;

Json status_of(const CommandRig& rig) {
    return Json::parse(read_text_file(rig.dir.file("status")));
}

}  // namespace

TEST_CASE("an error before the command begins replaces the status file of the last run") {
    CommandRig rig;
    rig.service.put("box", "n", "1");
    const std::string path = rig.dir.file("status");
    struct Case {
        std::vector<std::string> arguments;
        int code;
        std::string word;
    };
    const std::vector<Case> cases{
        {{"cas-update", "box/n", "--status-file", path, "--no-such-flag"}, 64, "usage"},
        {{"cas-update", "--status-file=" + path}, 64, "usage"},
        {{"cas-update", "box/n", "--add", "x", "--status-file", path}, 64, "usage"},
        {{"cas-update", "box/n", "--status-file", path}, 64, "usage"},
        {{"lock", "deploy", "--status-file", path, "--ttl", "1s", "--", "true"}, 64, "usage"},
        {{"lock", "deploy", "--status-file", path}, 64, "usage"},
        {{"lock", "deploy", "--status-file", path, "--config", rig.dir.file("none"), "--", "true"}, 78, "config"},
    };
    for (const Case& each : cases) {
        CAPTURE(each.arguments);
        rig.dir.write("status", R"({"outcome":"ran","exit_code":0})");
        const Ran ran = rig.run(each.arguments);
        INFO(ran.err);
        CHECK(ran.code == each.code);
        CHECK(status_of(rig).at("outcome") == "error");
        CHECK(status_of(rig).at("exit_code") == each.code);
        CHECK(status_of(rig).at("error").at("code") == each.word);
    }
}

TEST_CASE("the status file is replaced before the command begins") {
    CommandRig rig;
    rig.service.put("box", "n", "1");
    rig.dir.write("status", R"({"outcome":"written"})");
    std::string seen;
    rig.faulty.on(any_request()).meanwhile([&] { seen = status_of(rig).at("outcome"); });
    CHECK(rig.run({"cas-update", "box/n", "--add", "1", "--status-file", rig.dir.file("status")}).code == 0);
    CHECK(seen == "starting");
    CHECK(status_of(rig).at("outcome") == "written");
}

TEST_CASE("a command that itself exits with 124 did not run into --run-timeout") {
    CommandRig rig(CommandRig::Time::real);
    rig.service.make_container("locks");
    rig.service.put("box", "n", "1");
    const std::string path = rig.dir.file("status");
    CHECK(rig.run({"lock", "deploy", "--status-file", path, "--", "sh", "-c", "exit 124"}).code == 124);
    CHECK(status_of(rig).at("outcome") == "ran");
    CHECK(status_of(rig).at("command").at("exit_code") == 124);
    CHECK(rig.run({"cas-update", "box/n", "--status-file", path, "--", "sh", "-c", "exit 124"}).code == 124);
    CHECK(status_of(rig).at("outcome") == "command_failed");
    CHECK(status_of(rig).at("command_exit_code") == 124);
}

TEST_CASE("help and a command without the option touch no status file") {
    CommandRig rig;
    rig.dir.write("status", "old");
    const std::string path = rig.dir.file("status");
    CHECK(rig.run({"cas-update", "--status-file", path, "--help"}).code == 0);
    CHECK(rig.run({"show", "box/n", "--status-file", path}).code == 64);
    CHECK(rig.run({"lock", "deploy", "--no-such-flag", "--", "x", "--status-file", path}).code == 64);
    CHECK(read_text_file(path) == "old");
}

TEST_CASE("a status file that is no regular file is refused before anything is sent") {
    CommandRig rig;
    rig.service.put("box", "n", "1");
    const std::string fifo = rig.dir.file("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const std::size_t before = rig.service.requests();
    for (const std::string& path : {fifo, rig.dir.path(), std::string("/dev/full"), std::string("-")}) {
        CAPTURE(path);
        const Ran ran = rig.run({"cas-update", "box/n", "--add", "1", "--status-file", path});
        CHECK(ran.code == 64);
        CHECK(ran.err.find("is no regular file") != std::string::npos);
        CHECK(rig.run({"lock", "deploy", "--status-file", path, "--", "true"}).code == 64);
    }
    CHECK(rig.service.requests() == before);
}

TEST_CASE("if the status file cannot be written at the end, the change and its result are told: 76") {
    CommandRig rig;
    rig.service.put("box", "n", "1");
    const std::string folder = rig.dir.file("folder");
    ::mkdir(folder.c_str(), 0700);
    rig.faulty.on("Put Blob").meanwhile([&] { ::rename(folder.c_str(), rig.dir.file("moved").c_str()); });
    const Ran ran = rig.run({"cas-update", "box/n", "--add", "1", "--status-file", folder + "/status"});
    INFO(ran.err);
    CHECK(ran.code == 76);
    CHECK(ran.out == "2\n");
    CHECK(ran.err.find("the change is made, but cannot") != std::string::npos);
}

}  // namespace azlock::test
