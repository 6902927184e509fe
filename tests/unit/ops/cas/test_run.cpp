// An update as a command line asks for it: which transform is run, and what its end is called.
#include "ops/cas/run.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::test {
namespace {

struct RunRig : Rig {
    ops::CasEnd run(const ops::CasRequest& request) {
        const auto no_file = [](const std::string&, std::uint64_t) -> Result<std::string> {
            return fail(ErrorCode::input_missing, "there is no file");
        };
        auto work = ops::prepare_cas(request, no_file);
        REQUIRE(work);
        return ops::run_cas(us.client(), blob, std::move(*work), {});
    }
    ops::CasEnd shell(const std::string& script, const std::optional<int>& skip_code = {}) {
        ops::CasRequest request;
        request.command.argv = {"sh", "-c", script};
        request.command.skip_code = skip_code;
        return run(request);
    }
};

ops::CasRequest adding(bool create = false) {
    ops::CasRequest request;
    request.add = "1";
    request.options.create = create;
    return request;
}

}  // namespace

TEST_CASE("an update without a command ends as written, or as an error that is no command's") {
    RunRig rig;
    const auto none = rig.run(adding());
    REQUIRE(!none.report);
    CHECK(none.report.error().code == ErrorCode::not_found);
    CHECK(std::string(none.outcome) == "error");
    CHECK(!none.exit_code);
    CHECK(!none.command_exit_code);
    rig.service.put("box", "data", "41");
    const auto end = rig.run(adding());
    REQUIRE(end.report);
    CHECK(end.report->value == 42);
    CHECK(std::string(end.outcome) == "written");
}

TEST_CASE("a command knows its blob, and its success is told as what became of the blob") {
    RunRig rig;
    rig.service.put("box", "data", "old");
    CHECK(std::string(rig.shell("cat").outcome) == "unchanged");
    CHECK(std::string(rig.shell("printf '%s' \"$AZLOCK_BLOB\"").outcome) == "written");
    CHECK(rig.content() == "box/data");
}

TEST_CASE("the exit code 80 leaves the blob as it is, or the code that the user names") {
    RunRig rig;
    rig.service.put("box", "data", "old");
    CHECK(std::string(rig.shell("exit 80").outcome) == "skipped");
    CHECK(std::string(rig.shell("exit 3", 3).outcome) == "skipped");
    const auto other = rig.shell("exit 80", 3);
    CHECK(std::string(other.outcome) == "command_failed");
    CHECK(other.exit_code == 80);
    CHECK(rig.content() == "old");
}

TEST_CASE("a command that fails is the outcome, with its own code only if it ended by itself") {
    RunRig rig;
    rig.service.put("box", "data", "old");
    SECTION("it fails") {
        const auto end = rig.shell("exit 9");
        REQUIRE(!end.report);
        CHECK(std::string(end.outcome) == "command_failed");
        CHECK(end.exit_code == 9);
        CHECK(end.command_exit_code == 9);
    }
    SECTION("it is not there") {
        ops::CasRequest request;
        request.command.argv = {"no-such-command-anywhere"};
        const auto end = rig.run(request);
        CHECK(std::string(end.outcome) == "not_started");
        CHECK(end.exit_code == 127);
        CHECK(!end.command_exit_code);
    }
    SECTION("its output is too large: that is an error, and not its exit code") {
        ops::CasRequest request;
        request.command.argv = {"sh", "-c", "echo more than ten bytes"};
        request.max_size = 10;
        const auto end = rig.run(request);
        REQUIRE(!end.report);
        CHECK(std::string(end.outcome) == "error");
        CHECK(!end.exit_code);
    }
    CHECK(rig.content() == "old");
}

TEST_CASE("a blob that is created gets the content type of its name, unless one is given") {
    RunRig rig;
    rig.blob.blob = "state.json";
    ops::CasRequest request = adding(true);
    SECTION("of the name") {
        REQUIRE(rig.run(request).report);
        CHECK(rig.service.peek("box", "state.json")->properties.content_type == "application/json");
    }
    SECTION("given") {
        request.options.content_type = "text/mine";
        REQUIRE(rig.run(request).report);
        CHECK(rig.service.peek("box", "state.json")->properties.content_type == "text/mine");
    }
}

}  // namespace azlock::test
