// A command whose output is read ends as a shell would tell, and never outlives its reader.
#include <csignal>
#include <stop_token>
#include <thread>

#include <unistd.h>

#include "base/text.hpp"
#include "os/child.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::os {
namespace {

std::string output_of(OutputChild& child) {
    std::string out(4096, '\0');
    const auto got = read_full(child.output(), std::as_writable_bytes(std::span(out)), "the pipe");
    out.resize(got.value());
    return out;
}

}  // namespace

TEST_CASE("a command gets its arguments as they are, and its output and exit code come back") {
    auto child = OutputChild::start({"sh", "-c", "printf '%s|' \"$@\"; exit 7", "sh", "a b", "--", "", "*"});
    REQUIRE(child);
    CHECK(output_of(*child) == "a b|--||*|");
    CHECK(child->wait({})->code == 7);
}

TEST_CASE("a command that a signal killed has 128 and the signal's number") {
    auto child = OutputChild::start({"sh", "-c", "kill -9 $$"});
    REQUIRE(child);
    const auto end = child->wait({});
    CHECK(end->code == 137);
    CHECK(end->signal == 9);
}

TEST_CASE("what cannot be run is told apart from what does not exist") {
    const test::TempDir dir;
    const auto missing = OutputChild::start({"no-such-command-anywhere"});
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::input_missing);
    const auto not_executable = OutputChild::start({dir.write("plain", "text")});
    REQUIRE(!not_executable);
    CHECK(not_executable.error().code == ErrorCode::io);
}

TEST_CASE("a stop ends the waiting, and the command ends with its reader") {
    pid_t pid = 0;
    {
        auto child = OutputChild::start({"sh", "-c", "echo $$; trap '' TERM; exec >&-; exec sleep 1000"});
        REQUIRE(child);
        std::string text = output_of(*child);
        pid = static_cast<pid_t>(parse_u64(text.substr(0, text.find('\n'))).value());
        std::stop_source stop;
        const std::jthread stopper([&] { stop.request_stop(); });
        CHECK_FALSE(child->wait(stop.get_token()));
        CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("a command has the default action for a broken pipe, and no signal blocked") {
    auto child = OutputChild::start({"sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"});
    REQUIRE(child);
    const std::string out = output_of(*child);
    CHECK(out.find("SigBlk:\t0000000000000000") != std::string::npos);
    CHECK(child->wait({})->code == 0);
}

}  // namespace azlock::os
