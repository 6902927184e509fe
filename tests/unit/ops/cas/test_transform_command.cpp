// A command that makes the new content: what it gets, what it gives back, and how it is ended if it goes on too long.
#include <csignal>
#include <filesystem>
#include <thread>

#include "ops/cas/transform_command.hpp"
#include "ops/read/sealed_content.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Ran {
    Result<CasOutput> result;
    std::optional<CommandFailure> failure;

    [[nodiscard]] int code() const { return failure ? failure->exit_code : 0; }
    [[nodiscard]] bool failed_by(CommandFailure::Kind kind) const { return failure && failure->kind == kind; }

    [[nodiscard]] std::string text() const {
        return result ? result->content : std::string(to_string(result.error().code));
    }
};

Ran run(CommandOptions options, const std::string& content, const azure::Call& call = {}) {
    SystemClock clock;
    options.blob = "box/data";
    auto held = SealedContent::make(1U << 30U).value();
    REQUIRE(held.write(as_bytes(content)));
    REQUIRE(held.seal());
    CommandTransform transform(std::move(options), clock);
    CasInput input{true, "\"0x7\"", 3, held.view(), held.fd()};
    auto result = transform.run(input, call);
    return {std::move(result), transform.failure()};
}

Ran shell(const std::string& script, const std::string& content = "old") {
    CommandOptions options;
    options.argv = {"sh", "-c", script};
    return run(std::move(options), content);
}

}  // namespace

TEST_CASE("a command has the old content on its standard input, and what it writes is the new one") {
    CHECK(shell("tr a-z A-Z", "old content").text() == "OLD CONTENT");
    CHECK(shell("cat; printf '|%s|%s|%s' \"$AZLOCK_ETAG\" \"$AZLOCK_ATTEMPT\" \"$AZLOCK_BLOB\"").text() ==
          "old|\"0x7\"|3|box/data");
    CHECK(shell("true").text().empty());
    CHECK(shell("cat", "").text().empty());
}

TEST_CASE("much content goes in and comes out whole, whether the command reads all of it or none") {
    std::string large(5 * 1024 * 1024 + 7, 'x');
    large += '\0';
    CHECK(shell("cat", large).text() == large);
    CHECK(shell("exec <&-; echo new", large).text() == "new\n");
    CHECK(shell("head -c 3; cat >/dev/null", large).text() == "xxx");
}

TEST_CASE("nobody who has the command's input can change the old content") {
    CHECK(shell("exec 2>/dev/null; echo changed >&0; echo changed >/proc/self/fd/0; cat").text() == "old");
}

TEST_CASE("a command's exit code comes back, and the code to skip is no failure") {
    CommandOptions options;
    options.skip_code = 80;
    options.argv = {"sh", "-c", "echo content; exit 80"};
    const Ran skipped = run(options, "old");
    REQUIRE(skipped.result);
    CHECK(skipped.result->skip);
    CHECK(!skipped.failure);
    const Ran failed = shell("echo content; exit 3");
    CHECK(failed.text() == "data");
    CHECK(failed.code() == 3);
    CHECK(failed.failed_by(CommandFailure::Kind::failed));
    const Ran killed = shell("kill -KILL $$");
    CHECK(killed.code() == 137);
    options.argv = {"/nowhere/no-such-command"};
    CHECK(run(options, "old").code() == 127);
    const test::TempDir dir;
    options.argv = {dir.write("plain", "text")};
    CHECK(run(options, "old").code() == 126);
    CHECK(run(options, "old").failed_by(CommandFailure::Kind::not_started));
}

TEST_CASE("a command that writes more than it may is ended, and nothing comes of it") {
    CommandOptions options;
    options.max_size = 1000;
    options.argv = {"sh", "-c", "yes"};
    const Ran ran = run(options, "old");
    CHECK(ran.text() == "data");
    CHECK(!ran.failure);
    options.argv = {"head", "-c", "1000", "/dev/zero"};
    CHECK(run(options, "old").text().size() == 1000);
}

TEST_CASE("a command that takes too long is ended: before its output is over, and after it") {
    for (const char* script : {"sleep 1000", "exec >&-; sleep 1000", "trap '' TERM; sleep 1000; sleep 1000"}) {
        CAPTURE(script);
        CommandOptions options;
        options.run_timeout = milliseconds(200);
        options.argv = {"sh", "-c", script};
        const Ran ran = run(options, "old");
        CHECK(ran.text() == "data");
        CHECK(ran.code() == 124);
        CHECK(ran.failed_by(CommandFailure::Kind::timed_out));
    }
}

TEST_CASE("a stop is handed on to the command as the signal that it was") {
    const test::TempDir dir;
    const std::string trace = dir.file("trace");
    (void)dir.write("trace.new", "ready");
    std::stop_source stop;
    CommandOptions options;
    options.stop_signal = [] { return SIGINT; };
    options.argv = {"sh", "-c",
                    "trap 'echo int >\"$0\"; exit 0' INT; trap 'echo term >\"$0\"; exit 0' TERM; "
                    "mv \"$0.new\" \"$0\"; while :; do sleep 0.01; done",
                    trace};
    const std::jthread stopper([&] {
        while (!std::filesystem::exists(trace)) std::this_thread::sleep_for(milliseconds(5));
        stop.request_stop();
    });
    const Ran ran = run(options, "old", {kNoDeadline, stop.get_token()});
    CHECK(ran.text() == "cancelled");
    CHECK(test::read_text_file(trace) == "int\n");
}

TEST_CASE("the deadline of the whole command ends it, too") {
    SystemClock clock;
    CommandOptions options;
    options.argv = {"sleep", "1000"};
    const Ran ran = run(options, "old", {clock.after(milliseconds(200)), {}});
    CHECK(ran.text() == "unavailable");
    CHECK(!ran.failure);
}

}  // namespace azlock::ops
