// A standard output that takes nothing is found before anything is changed. If it breaks later, the error says that the
// change is made, and gives the result.
#include <fstream>

#include <fcntl.h>

#include "base/file.hpp"
#include "ops/cas/transform_text.hpp"
#include "ops/cas/update.hpp"
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

using Arguments = std::vector<std::string>;

const std::vector<Arguments>& commands_with_a_result() {
    static const std::vector<Arguments> all{
        {"upload", "-", "box/new"},
        {"append", "box/log"},
        {"cas-update", "box/n", "--add", "1"},
        {"cas-update", "box/n", "--", "sed", "s/1/2/"},
        {"queue", "put", "box/jobs"},
        {"lease", "acquire", "box/n"},
    };
    return all;
}

// Only with --json do they print something.
const std::vector<Arguments>& other_writers() {
    static const std::vector<Arguments> all{
        {"delete", "box/n"},
        {"container", "create", "other"},
        {"container", "delete", "box", "--yes"},
    };
    return all;
}

std::size_t changes(CommandRig& rig) {
    std::size_t out = 0;
    for (const LoggedRequest& request : rig.service.log()) {
        out += request.method == http::Method::put || request.method == http::Method::del ? 1 : 0;
    }
    return out;
}

Ran run_into(CommandRig& rig, int stdout_fd, const Arguments& arguments) {
    rig.stdout_fd = stdout_fd;
    Ran ran = rig.run(arguments, "7");
    rig.stdout_fd.reset();
    return ran;
}

Arguments with_json(Arguments arguments) {
    arguments.insert(arguments.begin(), "--json");
    return arguments;
}

}  // namespace

TEST_CASE("a command that prints a result changes nothing if standard output takes nothing: 74") {
    // As main() holds a closed stream: open in the wrong direction.
    for (const auto& [device, mode] : {std::pair{"/dev/full", O_WRONLY}, std::pair{"/dev/null", O_RDONLY}}) {
        const Fd stream(::open(device, mode | O_CLOEXEC));
        REQUIRE(stream);
        std::vector<Arguments> all = commands_with_a_result();
        for (const Arguments& arguments : commands_with_a_result()) all.push_back(with_json(arguments));
        for (const Arguments& arguments : other_writers()) all.push_back(with_json(arguments));
        for (const Arguments& arguments : all) {
            CAPTURE(device, arguments);
            CommandRig rig;
            rig.service.put("box", "n", "1");
            const Ran ran = run_into(rig, stream.get(), arguments);
            INFO(ran.err);
            CHECK(ran.code == 74);
            CHECK(ran.err.find("standard output") != std::string::npos);
            CHECK(changes(rig) == 0);
        }
    }
}

TEST_CASE("a command that prints nothing does not need standard output") {
    const Fd stream(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    for (const Arguments& arguments : other_writers()) {
        CAPTURE(arguments);
        CommandRig rig;
        rig.service.put("box", "n", "1");
        CHECK(run_into(rig, stream.get(), arguments).code == 0);
    }
}

TEST_CASE("if standard output breaks after the change, the error says that the change is made: 76") {
    for (const Arguments& arguments : commands_with_a_result()) {
        CAPTURE(arguments);
        CommandRig rig(CommandRig::Time::real);  // append waits in real time
        rig.service.put("box", "n", "1");
        // Takes no byte, but says so only when bytes come.
        const int file = ::memfd_create("full", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        const Fd stream(file);
        REQUIRE(::fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE) == 0);
        const Ran plain = run_into(rig, file, arguments);
        INFO(plain.err);
        CHECK(plain.code == 76);
        CHECK(plain.err.find("the change is made, but cannot write 'standard output'") != std::string::npos);
        CHECK(plain.err.find("the result is: ") != std::string::npos);
        CHECK(changes(rig) > 0);

        CommandRig second(CommandRig::Time::real);
        second.service.put("box", "n", "1");
        const Ran told = run_into(second, file, with_json(arguments));
        INFO(told.err);
        CHECK(told.code == 76);
        CHECK(told.error().at("code") == "io");
        CHECK(told.error().at("may_have_applied") == true);
        CHECK(told.error().at("done") == true);
        CHECK(nlohmann::ordered_json::parse(told.error().at("result").get<std::string>()).is_object());
    }
}

TEST_CASE("a read whose output breaks is 74: nothing was changed") {
    CommandRig rig;
    rig.service.put("box", "n", "1");
    const int file = ::memfd_create("full", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const Fd stream(file);
    REQUIRE(::fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE) == 0);
    const Ran ran = run_into(rig, file, {"--json", "show", "box/n"});
    CHECK(ran.code == 74);
    CHECK(ran.error().at("may_have_applied") == false);
    CHECK(!ran.error().contains("done"));
}

TEST_CASE("an ETag that is not known is said, not printed as an empty line: 76") {
    CommandRig rig;
    Actor peer(rig.service, rig.clock(), 99);
    // Our answer is lost, and somebody else writes on top of ours before azlock looks.
    const auto overwrite = [&](const std::string& name) {
        const auto written = ops::cas_update(peer.client(), {"box", name, {}}, ops::add_integer(1), {}, {});
        INFO(why(written));
        REQUIRE(written);
    };
    SECTION("upload") {
        rig.faulty.on("Put Blob").drop_reply();
        rig.faulty.on("Get Blob Properties").meanwhile([&] { overwrite("new"); });
        std::ofstream(rig.dir.file("seven")) << "7";
        const Ran ran = rig.run({"upload", rig.dir.file("seven"), "box/new"});
        INFO(ran.err);
        CHECK(ran.code == 76);
        CHECK(ran.out.empty());
        CHECK(ran.err.find("the change is made, but the ETag of what was written is not known") != std::string::npos);
        CHECK(rig.service.content("box", "new") == "8");
    }
    SECTION("cas-update") {
        rig.service.put("box", "n", "1");
        rig.faulty.on("Put Blob").nth(1).drop_reply();
        rig.faulty.on("Put Blob").nth(2).meanwhile([&] { overwrite("n"); });
        const Ran ran = rig.run({"cas-update", "box/n", "--from", "-"}, "5");
        INFO(ran.err);
        CHECK(ran.code == 76);
        CHECK(ran.out.empty());
        CHECK(rig.service.content("box", "n") == "6");
    }
    SECTION("with --json it is null, and the exit code is 0") {
        rig.faulty.on("Put Blob").drop_reply();
        rig.faulty.on("Get Blob Properties").meanwhile([&] { overwrite("new"); });
        std::ofstream(rig.dir.file("seven")) << "7";
        const Ran ran = rig.run_json({"upload", rig.dir.file("seven"), "box/new"});
        CHECK(ran.code == 0);
        CHECK(ran.json().at("etag").is_null());
    }
}

}  // namespace azlock::test
