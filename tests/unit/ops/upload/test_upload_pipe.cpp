// What a command writes becomes a blob only if the command ends with 0; its exit code is told.
#include <thread>

#include "base/text.hpp"
#include "ops/upload/block_plan.hpp"
#include "ops/upload/upload_pipe.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

struct Piped {
    Rig rig;
    ops::PipeSource source{{}, 64 * ops::kMiB, {}, {}};
    ops::UploadOptions options;
    azure::Call call;

    ops::PipeEnd run(const std::string& script) {
        source.command = {"sh", "-c", script};
        return run();
    }
    ops::PipeEnd run() {
        ops::ConcurrencyLimit concurrency(options.concurrency);
        return ops::upload_pipe(rig.us.client(), rig.blob, source, options, {concurrency, {}}, call);
    }
    // Nothing was committed, and the error has this code.
    void check_refused(const ops::PipeEnd& end, ErrorCode code) {
        REQUIRE(!end.report);
        INFO(end.report.error().message);
        CHECK(end.report.error().code == code);
        CHECK(!rig.content());
    }
};

}  // namespace

TEST_CASE("what a command writes is committed when it has ended with 0") {
    Piped p;
    const auto end = p.run("echo one; sleep 0.05; echo two");
    INFO(why(end.report));
    REQUIRE(end.report);
    CHECK(!end.exit_code);
    CHECK(end.report->bytes == 8);
    CHECK(p.rig.content() == "one\ntwo\n");
}

TEST_CASE("the content type is that of the blob's name, or the given one") {
    Piped p;
    p.rig.blob.blob = "data.json";
    const auto type_of = [&](std::size_t n) { return *p.rig.sent("Put Blob", n).find("x-ms-blob-content-type"); };
    REQUIRE(p.run("echo 1").report);
    CHECK(type_of(1) == "application/json");
    p.options.content.type = "text/mine";
    REQUIRE(p.run("echo 1").report);
    CHECK(type_of(2) == "text/mine");
}

TEST_CASE("a command that fails commits nothing, however much it wrote, and its code is told") {
    Piped p;
    const bool large = GENERATE(false, true);
    p.options.block_size = kSmallBlock;
    const auto end = p.run((large ? "head -c 20000 /dev/zero" : "echo two") + std::string("; exit 9"));
    p.check_refused(end, ErrorCode::data);
    CHECK(end.exit_code == 9);
    CHECK(end.report.error().message == "the command 'sh' failed with exit code 9; nothing was committed");
    CHECK(p.rig.done("Put Block List") == 0);
}

TEST_CASE("a command that a signal killed commits nothing: 128+N") {
    Piped p;
    const auto end = p.run("echo two; kill -9 $$");
    p.check_refused(end, ErrorCode::data);
    CHECK(end.exit_code == 137);
    CHECK(end.report.error().message.find("was killed by signal 9") != std::string::npos);
}

TEST_CASE("a command that cannot be started: 127 or 126, and nothing is sent") {
    Piped p;
    p.source.command = {"no-such-command-anywhere"};
    auto end = p.run();
    p.check_refused(end, ErrorCode::input_missing);
    CHECK(end.exit_code == 127);
    p.source.command = {p.rig.dir.write("plain", "text")};
    end = p.run();
    p.check_refused(end, ErrorCode::io);
    CHECK(end.exit_code == 126);
    CHECK(p.rig.service.requests() == 0);
}

TEST_CASE("content that is not what was expected is not committed, although the command ended well") {
    Piped p;
    SECTION("the size") {
        p.source.expect_size = 5;
    }
    SECTION("the SHA-256") {
        p.source.expect_sha256 = Sha256Sum{};
    }
    const auto end = p.run("echo two");
    p.check_refused(end, ErrorCode::data);
    CHECK(!end.exit_code);
}

TEST_CASE("what a pipe cannot do is refused before the command starts") {
    Piped p;
    const std::string proof = p.rig.dir.file("ran");
    SECTION("a blob without a name") {
        p.rig.blob.blob = GENERATE(as<std::string>{}, "", "to/");
    }
    SECTION("a comparison with a file") {
        p.options.skip_unchanged = true;
    }
    const auto end = p.run("touch '" + proof + "'");
    REQUIRE(!end.report);
    CHECK(end.report.error().code == ErrorCode::usage);
    CHECK(p.rig.dir.names().empty());
}

TEST_CASE("if the upload fails, or a stop comes, the command is ended") {
    Piped p;
    const std::string note = p.rig.dir.file("ended");
    const std::string script = "trap 'echo x > \"" + note + "\"; exit 0' TERM; echo two; ";
    SECTION("the upload fails") {
        p.options.block_size = kSmallBlock;
        p.rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        const auto end = p.run(script + "head -c 20000 /dev/zero; while :; do sleep 0.01; done");
        p.check_refused(end, ErrorCode::auth);
        CHECK(!end.exit_code);
    }
    SECTION("a stop, while the command is silent") {
        std::stop_source stop;
        p.call.stop = stop.get_token();
        const std::jthread later([&](const std::stop_token& over) {
            while (p.rig.dir.names().empty() && !over.stop_requested()) std::this_thread::yield();
            stop.request_stop();
        });
        const auto end = p.run(script + "touch '" + p.rig.dir.file("running") + "'; while :; do sleep 0.01; done");
        p.check_refused(end, ErrorCode::cancelled);
        CHECK(!end.exit_code);
    }
    CHECK(read_text_file(note) == "x\n");
}

}  // namespace azlock::test
