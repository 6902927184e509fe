// ops/login/tool_login: tokens of az and azd, and their failures.
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "ops/login/tool_login.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "unit/environment.hpp"
#include "unit/eventually.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;

namespace {

using Argv = std::vector<std::string>;

struct ToolRig {
    RunTool tool(Result<ToolOutput> output) {
        return [this, output](const Argv& argv, Clock&, Deadline deadline, const std::stop_token&) {
            asked = argv;
            limit = deadline - clock.now();
            return output;
        };
    }
    Result<Token> az(Result<ToolOutput> output, const std::string& tenant = {}) {
        return make_az_source(clock, tenant, tool(std::move(output)))->fetch(kNoDeadline, {});
    }
    Result<Token> azd(Result<ToolOutput> output, const std::string& tenant = {}) {
        return make_azd_source(clock, tenant, tool(std::move(output)))->fetch(kNoDeadline, {});
    }
    test::FakeClock clock;
    Argv asked;
    std::chrono::nanoseconds limit{};
};

// A program in a PATH of the test's own.
struct ProgramRig {
    Result<ToolOutput> run(const std::string& script, Deadline deadline = kNoDeadline,
                           const std::stop_token& stop = {}) {
        const std::string path = dir.write("tool", "#!/bin/sh\n" + script + "\n");
        ::chmod(path.c_str(), 0755);
        environment.set("PATH", dir.path() + ":/bin:/usr/bin");
        return run_tool({"tool", "an argument"}, clock, deadline, stop);
    }
    SystemClock clock;
    test::Environment environment;
    test::TempDir dir;
};

}  // namespace

TEST_CASE("az is asked for a token of storage, and its end is read in every form that az has") {
    ToolRig rig;
    const auto token = rig.az(ToolOutput{0,
                                         R"({"accessToken":"ey","expiresOn":"2026-11-21 16:16:30.921462",)"
                                         R"("expires_on":1700003600,"tokenType":"Bearer"})",
                                         "WARNING: something new"});
    REQUIRE(token);
    CHECK(token->bearer.reveal() == "ey");
    CHECK(token->ends - token->asked == 1h);
    CHECK(rig.asked ==
          Argv{"az", "account", "get-access-token", "--output", "json", "--resource", "https://storage.azure.com"});
    CHECK(rig.limit == 30s);
    // Local time without a zone says nothing.
    const auto old = rig.az(ToolOutput{0, R"({"accessToken":"ey","expiresOn":"2020-11-21 16:16:30.921462"})", {}}, "t");
    REQUIRE(old);
    CHECK(old->ends - old->asked == 5min);
    CHECK(Argv(rig.asked.end() - 2, rig.asked.end()) == Argv{"--tenant", "t"});
}

TEST_CASE("azd is asked without a prompt") {
    ToolRig rig;
    const auto token = rig.azd(ToolOutput{0, R"({"token":"ey","expiresOn":"2023-11-14T23:13:20Z"})", {}}, "t");
    REQUIRE(token);
    CHECK(token->ends - token->asked == 1h);
    CHECK(rig.asked == Argv{"azd", "auth", "token", "--output", "json", "--no-prompt", "--scope",
                            "https://storage.azure.com/.default", "--tenant-id", "t"});
}

TEST_CASE("a tool that is missing, not logged in, hangs or talks nonsense has no token, and a chain goes on") {
    ToolRig rig;
    const auto says = [&](Result<ToolOutput> output, const char* part) {
        const auto token = rig.az(std::move(output));
        REQUIRE_FALSE(token);
        INFO(token.error().message);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(token.error().fault == TransportFault::none);
        CHECK(token.error().message.find(part) != std::string::npos);
        CHECK(token.error().message.find("MARKER") == std::string::npos);
        return token.error().hint;
    };
    says(fail(ErrorCode::input_missing, "cannot run 'az'"), "az is not installed");
    says(fail(ErrorCode::unavailable, "it did not end in time and was ended"), "did not end in time");
    CHECK(says(ToolOutput{1, {}, "WARNING: x\nERROR: Please run 'az login' to setup account.\n\n"},
               "exit code 1, ERROR: Please run 'az login'") == "log in with 'az login'");
    says(ToolOutput{0, "garbage MARKER", {}}, "not JSON");
    says(ToolOutput{2, {}, "DEBUG: Authorization: Bearer MARKER"}, "exit code 2, DEBUG");
    says(ToolOutput{0, "{}", {}}, "no token");
    CHECK(rig.az(fail(stopped_by_signal())).error().code == ErrorCode::cancelled);
}

TEST_CASE("a tool runs without input, away from the current directory, and what it says stays here") {
    ProgramRig rig;
    const auto ran = rig.run("pwd; cat; echo \"$#:$1\"; echo to-errors >&2; exit 3");
    REQUIRE(ran);
    CHECK(ran->out == "/\n1:an argument\n");
    CHECK(ran->errors == "to-errors\n");
    CHECK(ran->code == 3);
    const auto talks = rig.run("head -c 9000 /dev/zero | tr '\\0' x >&2; echo the-last >&2");
    REQUIRE(talks);
    CHECK(talks->errors.size() == 4096);
    CHECK(talks->errors.ends_with("xthe-last\n"));
}

TEST_CASE("what a tool has left behind is not waited for") {
    ProgramRig rig;
    const auto ran = rig.run("sleep 1000 & echo $!; exit 3", rig.clock.after(60s));
    REQUIRE(ran);
    CHECK(ran->code == 3);
    CHECK(::kill(std::stoi(ran->out), SIGKILL) == 0);
}

TEST_CASE("a tool that hangs is ended with its children, at the deadline and with a stop") {
    ProgramRig rig;
    std::stop_source stop;
    const std::string note = rig.dir.file("note");
    const auto first_word = [](const std::string& path) {
        std::string word;
        std::ifstream(path) >> word;
        return word;
    };
    const std::jthread hand([&] {
        test::must(test::eventually([&] { return !first_word(note).empty(); }));
        stop.request_stop();
    });
    const auto stopped = rig.run("sleep 1000 & echo $! >" + note + "; wait", kNoDeadline, stop.get_token());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    for (const char* script : {"sleep 1000", "exec >&-; sleep 1000", "exec >&- 2>&-; sleep 1000"}) {
        CAPTURE(script);
        const auto late = rig.run(script, rig.clock.after(50ms));
        REQUIRE_FALSE(late);
        CHECK(late.error().message.find("in time") != std::string::npos);
    }
    CHECK(test::eventually([&] { return first_word("/proc/" + first_word(note) + "/cmdline").empty(); }));
}

TEST_CASE("a tool that is not there, and one that writes without end, are errors") {
    ProgramRig rig;
    CHECK(run_tool({"no-such-tool-here"}, rig.clock, kNoDeadline, {}).error().code == ErrorCode::input_missing);
    const auto chatty = rig.run("head -c 300000 /dev/zero | tr '\\0' x >&2; echo out; echo last >&2");
    REQUIRE(chatty);
    CHECK(chatty->out == "out\n");
    CHECK(chatty->errors.size() == 4096);
    CHECK(chatty->errors.ends_with("xlast\n"));
    const auto endless = rig.run("while :; do echo yes yes yes yes yes yes yes yes yes yes yes yes yes; done");
    REQUIRE_FALSE(endless);
    CHECK(endless.error().message.find("1 MiB") != std::string::npos);
}
