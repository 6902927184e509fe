// With --json each object on standard error has its own line, whatever a command wrote there before.
#include "base/text.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal_lines.hpp"
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

using Json = nlohmann::ordered_json;

Ran run_script(CommandRig& rig, const std::string& script) {
    rig.service.put("box", "n", "1");
    return rig.run_json({"cas-update", "box/n", "--", "sh", "-c", script});
}

}  // namespace

TEST_CASE("an unfinished line of a command ends before an error in JSON begins") {
    CommandRig rig;
    const Ran ran = run_script(rig, "printf 'no newline' >&2; exit 9");
    CHECK(ran.code == 9);
    CHECK(ran.err.find("no newline\n{") == 0);
    CHECK(ran.error().at("code") == "data");
}

TEST_CASE("a finished line, or none, gets no empty line behind it where that can be seen") {
    CommandRig rig;
    CHECK(run_script(rig, "echo whole >&2; exit 9").err.find("whole\n{") == 0);
    CHECK(run_script(rig, "exit 9").err.find('{') == 0);
}

TEST_CASE("what else is said takes the progress away first") {
    cli::Output output({});
    const ReplacedStream err(STDERR_FILENO, {});
    const std::string shown = cli::replaceable({"one", "two"});
    const std::string clear(cli::kClearLines);
    output.status({"one", "two"});
    output.status({"one", "two"});
    output.notice("said");
    output.status({});
    CHECK(err.content() == shown + shown + clear + "azlock: said\n");
    output.status({"one", "two"});
    output.status({});
    CHECK(err.content() == shown + shown + clear + "azlock: said\n" + shown + clear);
}

TEST_CASE("queue peek prints the content as JSON, in Base64 if it is no text") {
    CommandRig rig;
    CHECK(rig.run({"queue", "put", "box/jobs", "--id", "a"}, "movie \"1\"\n").code == 0);
    const Json text = rig.run_json({"queue", "peek", "box/jobs", "a"}).json();
    CHECK(text.at("id") == "a");
    CHECK(text.at("content") == "movie \"1\"\n");
    CHECK(text.at("base64").is_null());
    CHECK(rig.run({"queue", "put", "box/jobs", "--id", "b"}, "\xff").code == 0);
    const Json bytes = rig.run_json({"queue", "peek", "box/jobs", "b"}).json();
    CHECK(bytes.at("content").is_null());
    CHECK(bytes.at("base64") == "/w==");
    CHECK(bytes.at("bytes") == 1);
}

}  // namespace azlock::test
