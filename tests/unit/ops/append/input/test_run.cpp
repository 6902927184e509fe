// All of an input goes to a blob: files that are continued, commands, stops, and what is said to be missing at the end.
#include <csignal>
#include <filesystem>
#include <mutex>

#include "ops/append/input/run.hpp"
#include "ops/files/source_file.hpp"
#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

namespace azlock::test {
namespace {

// The input has threads, so time is real.
struct RunRig {
    RunRig() { service.make_container("box"); }

    static FakeOptions options() {
        FakeOptions out;
        out.account = kRigAccount;
        return out;
    }
    ops::AppendSource of_file(const std::string& content, bool resume = false) {
        ops::AppendSource source;
        source.file = dir.write("job.log", content);
        source.resume = resume;
        const auto file = ops::SourceFile::open(source.file).value();
        source.whole = file->region(0, file->size());
        return source;
    }
    static ops::AppendSource of_shell(const std::string& script) {
        ops::AppendSource source;
        source.command = {"sh", "-c", script};
        source.signal = [] { return SIGTERM; };
        return source;
    }
    ops::AppendEnd run(ops::AppendSource source) {
        ops::AppendRun work;
        if (source.resume) work.appender.send.lease = ops::AppendLease::exclusive;
        work.source = std::move(source);
        work.input = input;
        work.time_to_stop = time_to_stop;
        work.progress = &progress;
        work.say = [this](const std::string& text) {
            const std::lock_guard lock(mutex);
            said += text + "\n";
        };
        return ops::run_append(us.client(), blob, std::move(work), {kNoDeadline, stop.get_token()});
    }
    [[nodiscard]] std::string content() { return service.content("box", "data").value_or(""); }

    SystemClock clock;
    FakeClock for_faults;
    FakeService service{clock, options()};
    FaultyTransport faulty{service, for_faults};
    Actor us{faulty, clock, 3, kRigAccount, AppendRig::one_attempt()};
    azure::BlobAddress blob{"box", "data", {}};
    TempDir dir;
    std::stop_source stop;
    ops::AppendInputOptions input;
    std::chrono::seconds time_to_stop{10};
    ops::Progress progress;
    std::mutex mutex;
    std::string said;
};

}  // namespace

TEST_CASE("the progress of an append counts what is there already, what is sent, and retries") {
    RunRig rig;
    REQUIRE(rig.run(rig.of_file("one\ntwo\n", true)).status);
    CHECK(rig.progress.total == 8);
    CHECK(rig.progress.sent == 8);
    rig.faulty.on("Append Block").nth(1).fail_before();
    REQUIRE(rig.run(rig.of_file("one\ntwo\nthree\n", true)).status);
    CHECK(rig.progress.total == 14);
    CHECK(rig.progress.reused == 8);
    CHECK(rig.progress.sent == 8 + 6);
    CHECK(rig.progress.moving == 0);
    CHECK(rig.progress.retries == 1);
}

TEST_CASE("a file is appended whole, and the report counts it") {
    RunRig rig;
    const auto end = rig.run(rig.of_file("one\ntwo\n"));
    INFO(why(end.status));
    CHECK(end.status);
    CHECK(end.all_sent);
    CHECK(!end.lost);
    CHECK(!end.exit_code);
    CHECK(end.report.bytes == 8);
    CHECK(rig.content() == "one\ntwo\n");
}

TEST_CASE("a file that is resumed is sent from where the blob ends, and other content is refused") {
    RunRig rig;
    REQUIRE(rig.run(rig.of_file("one\n", true)).status);
    const auto end = rig.run(rig.of_file("one\ntwo\n", true));
    INFO(why(end.status));
    CHECK(end.status);
    CHECK(end.skipped == 4);
    CHECK(end.report.bytes == 4);
    CHECK(rig.content() == "one\ntwo\n");
    const auto other = rig.run(rig.of_file("ONE\nTWO\nTHREE\n", true));
    REQUIRE(!other.status);
    CHECK(other.status.error().code == ErrorCode::data);
    CHECK(!other.all_sent);
    CHECK(rig.content() == "one\ntwo\n");
}

TEST_CASE("a stop before the end of a file is an error although all that was read is in the blob") {
    RunRig rig;
    rig.stop.request_stop();
    const auto end = rig.run(rig.of_file("one\n", true));
    CHECK(end.all_sent);
    CHECK(!end.lost);
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::cancelled);
    CHECK(end.status.error().message.find("stopped: 0 of 4 bytes of the file were read") == 0);
    CHECK(end.status.error().hint == "run the same command again to go on");
}

TEST_CASE("what could not be sent in the time after a stop is lost, and that is the outcome") {
    RunRig rig;
    rig.time_to_stop = std::chrono::seconds(0);
    rig.faulty.on("Append Block").from(1).with("stop", [&](const FaultCall&) -> Result<http::Response> {
        rig.stop.request_stop();
        Error error = make_error(ErrorCode::unavailable, "no connection");
        error.retryable = true;
        return fail(std::move(error));
    });
    const auto end = rig.run(rig.of_file("one\ntwo\n"));
    CHECK(end.lost);
    CHECK(!end.all_sent);
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::unavailable);
    CHECK(end.status.error().message.find("8 bytes that were read are not in the blob") == 0);
}

TEST_CASE("without a stop an outage keeps its own error, and the missing bytes are named") {
    RunRig rig;
    rig.faulty.on("Append Block").from(1).return_status(403, "AuthorizationFailure");
    const auto end = rig.run(rig.of_file("one\n"));
    CHECK(!end.lost);
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::auth);
    CHECK(end.status.error().message.find("4 bytes that were read are not in the blob: ") == 0);
}

TEST_CASE("a file that is truncated while it is appended is an error, although all that was read is in the blob") {
    RunRig rig;
    rig.input.buffer.pace.batch_size = 64 * 1024;
    rig.input.buffer.memory = 128 * 1024;
    const auto source = rig.of_file(std::string(1 << 20, 'x'));
    rig.faulty.on("Append Block").nth(1).meanwhile([&] { std::filesystem::resize_file(source.file, 3); });
    const auto end = rig.run(source);
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::data);
    CHECK(!end.all_sent);
    CHECK(rig.content().size() < (1 << 20));
}

TEST_CASE("the output of a command is appended, and its exit code is handed on") {
    RunRig rig;
    const auto failed = rig.run(RunRig::of_shell("echo one; exit 3"));
    CHECK(failed.status);
    CHECK(failed.all_sent);
    CHECK(failed.exit_code == 3);
    CHECK(rig.content() == "one\n");
    CHECK(rig.said.find("the command 'sh' failed with exit code 3") != std::string::npos);
    CHECK(rig.run(RunRig::of_shell("echo two")).exit_code == 0);
    CHECK(rig.content() == "one\ntwo\n");
}

TEST_CASE("a command that cannot be started appends nothing") {
    RunRig rig;
    ops::AppendSource source;
    source.command = {"no-such-command-anywhere"};
    const auto end = rig.run(source);
    CHECK(!end.status);
    CHECK(end.exit_code == 127);
    CHECK(rig.content().empty());
}

TEST_CASE("a stop reaches the command, and what it writes until its end is still appended") {
    RunRig rig;
    rig.faulty.on("Append Block").nth(1).meanwhile([&] { rig.stop.request_stop(); });
    const auto end =
        rig.run(RunRig::of_shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05 </dev/null; done"));
    INFO(why(end.status));
    CHECK(end.status);
    CHECK(end.exit_code == 7);
    CHECK(rig.content() == "ready\nbye\n");
}

TEST_CASE("a destination that names no blob is refused before anything is sent or started") {
    RunRig rig;
    rig.blob.blob = GENERATE(as<std::string>{}, "", "logs/");
    const auto end = rig.run(RunRig::of_shell("touch " + rig.dir.file("proof")));
    REQUIRE(!end.status);
    CHECK(end.status.error().code == ErrorCode::usage);
    CHECK(!end.all_sent);
    CHECK(rig.service.requests() == 0);
    CHECK(rig.dir.names().empty());
}

TEST_CASE("a blob that is created gets the content type of its name") {
    RunRig rig;
    rig.blob.blob = "job.json";
    REQUIRE(rig.run(rig.of_file("{}")).status);
    CHECK(rig.service.peek("box", "job.json")->properties.content_type == "application/json");
}

TEST_CASE("a spool belongs to one blob of one account") {
    RunRig rig;
    ops::SpoolOptions spool;
    spool.directory = rig.dir.path();
    rig.input.spool = spool;
    const auto source = rig.of_file("one\n");
    std::string of_whom;
    rig.faulty.on("Append Block").meanwhile([&] {
        for (const std::string& name : rig.dir.names()) {
            if (name.ends_with(".spool")) of_whom = read_text_file(rig.dir.file(name));
        }
    });
    REQUIRE(rig.run(source).status);
    CHECK(of_whom.find("http://127.0.0.1:10000/rigaccount/box/data") != std::string::npos);
}

}  // namespace azlock::test
