// Help: what it shows, how wide it is, and where it is printed.
#include <algorithm>
#include <sstream>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
    return widest;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void check_pages(CommandRig& rig, const nlohmann::ordered_json& command) {
    const std::string path = command.at("command");
    for (const char* flag : {"-h", "--help"}) {
        CAPTURE(path, flag);
        std::vector<std::string> line = words_of(path);
        line.emplace_back(flag);
        const Ran ran = rig.run(line);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK(has(ran.out, "Usage:\n  " + path));
        CHECK(widest_line(ran.out) <= 80);
        CHECK_FALSE(has(ran.out, "\x1b"));
        if (flag == std::string("--help")) {
            CHECK(has(ran.out, "Exit codes:\n  0      done\n"));
            for (const auto& option : command.at("options")) CHECK(has(ran.out, option.at("names").back()));
        }
    }
    for (const auto& inner : command.at("commands")) check_pages(rig, inner);
}

}  // namespace

TEST_CASE("every page of help fits into 80 columns and has its options") {
    CommandRig rig;
    check_pages(rig, nlohmann::ordered_json::parse(rig.run({"completion", "--json"}).out));
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("azlock alone, help, version and -V answer on standard output") {
    CommandRig rig;
    for (const std::vector<std::string>& line : {std::vector<std::string>{},
                                                 {"help"},
                                                 {"-h"},
                                                 {"--help"},
                                                 {"help", "lock"},
                                                 {"version"},
                                                 {"-V"},
                                                 {"--version"}}) {
        CAPTURE(line);
        const Ran ran = rig.run(line);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK(has(ran.out, "azlock"));
    }
    CHECK(rig.run({}).out == rig.run({"-h"}).out);
    CHECK(rig.run({"help"}).out == rig.run({"--help"}).out);
    CHECK(rig.run({"help", "lease", "break"}).out == rig.run({"lease", "break", "--help"}).out);
    CHECK(rig.run({"version"}).out == rig.run({"--version"}).out);
    CHECK(nlohmann::json::parse(rig.run({"version", "--json"}).out).contains("libraries"));
    // A forgotten variable in a script is no success.
    CHECK(rig.run({"--json"}).code == 64);
    CHECK(rig.run({""}).code == 64);
}

TEST_CASE("short help shows the examples first and leaves out the rare options; long help has all") {
    CommandRig rig;
    const std::string brief = rig.run({"upload", "-h"}).out;
    const std::string full = rig.run({"upload", "--help"}).out;
    CHECK(brief.find("Examples:") < brief.find("Options:"));
    CHECK(full.find("Options:") < full.find("Examples:"));
    CHECK_FALSE(has(brief, "--if-match"));
    CHECK(has(brief, "Conditions"));
    CHECK(has(full, "--if-match ETAG"));
    CHECK(has(full, "--fence[=N]"));
    CHECK(has(full, "--concurrency N"));
    CHECK(has(full, "[1 to 256]"));
}

TEST_CASE("the commands are grouped, and a usage line shows the command to run") {
    CommandRig rig;
    const std::string all = rig.run({}).out;
    std::size_t last = 0;
    for (const char* heading : {"Transfer:", "Read:", "Coordinate:", "Queue:", "Leases:", "Setup:"}) {
        CAPTURE(heading);
        const std::size_t at = all.find(std::string("\n") + heading + "\n");
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
    CHECK(has(rig.run({"lock", "-h"}).out, "azlock lock [OPTION...] NAME -- COMMAND...\n"));
    CHECK(has(rig.run({"upload", "-h"}).out, "azlock upload [OPTION...] SRC... DEST\n"));
    CHECK(has(rig.run({"append", "-h"}).out, "azlock append [OPTION...] DEST [FILE]\n"));
}

TEST_CASE("a command lists only exit codes that it can end with") {
    CommandRig rig;
    const auto codes = [&](const std::vector<std::string>& words) {
        std::vector<std::string> line = words;
        line.emplace_back("--help");
        const std::string out = rig.run(line).out;
        return out.substr(out.find("Exit codes:"));
    };
    CHECK(has(codes({"lock"}), "\n  122    "));
    CHECK_FALSE(has(codes({"list"}), "\n  122    "));
    CHECK_FALSE(has(codes({"completion"}), "\n  69     "));
    CHECK(has(codes({"queue", "work"}), "\n  123    "));
    CHECK(has(codes({}), "\n  80     "));
}

TEST_CASE("colours follow --color, then the environment") {
    CommandRig rig;
    CHECK(has(rig.run({"--help", "--color", "always"}).out, "\x1b[1mUsage:\x1b[0m"));
    CHECK(has(rig.run({"show", "--color=always"}).err, "\x1b[1;31mazlock:\x1b[0m "));
    CHECK(has(rig.run({"show", "--color", "always"}).err, "\x1b[1;31mazlock:\x1b[0m "));
    CHECK(has(rig.run({"show", "box/none", "--color=always"}).err, "\x1b[1;31mazlock:\x1b[0m "));
    CHECK_FALSE(has(rig.run({"show", "box/none"}).err, "\x1b"));
    rig.environment.set("CLICOLOR_FORCE", "1");
    CHECK(has(rig.run({"show", "box/none"}).err, "\x1b[1;31m"));
    CHECK_FALSE(has(rig.run({"show", "box/none", "--color", "never"}).err, "\x1b"));
    rig.environment.set("NO_COLOR", "1");
    CHECK_FALSE(has(rig.run({"show", "box/none"}).err, "\x1b"));
    CHECK(rig.run({"list", "--color", "red"}).code == 64);
    // JSON is for programs.
    CHECK_FALSE(has(rig.run({"--json", "show", "box/none", "--color", "always"}).err, "\x1b"));
}

TEST_CASE("older spellings work, and help does not show them") {
    CommandRig rig;
    const std::string file = rig.dir.write("file", "text");
    CHECK(rig.run({"upload", "-n", file, "box/x"}).code == 0);
    CHECK_FALSE(rig.service.peek("box", "x"));
    CHECK(rig.run({"queue", "work", "box/q", "-n", "1", "--drain", "--", "true"}).code == 0);
    CHECK(rig.run({"queue", "work", "box/q", "-n", "1", "--loop", "--", "true"}).code == 64);
    rig.service.put("box", "free", "content");
    CHECK(rig.run({"lease", "break", "box/free", "--wait"}).code == 0);
    CHECK_FALSE(has(rig.run({"upload", "--help"}).out, " -n"));
    CHECK_FALSE(has(rig.run({"queue", "work", "--help"}).out, " -n"));
    CHECK_FALSE(has(rig.run({"lease", "break", "--help"}).out, "--wait"));
}

}  // namespace azlock::test
