// A command whose output is read: its exit code is that of a shell, and it never outlives its reader.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stop_token>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"
#include "os/child.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::os {
namespace {

std::string output_of(Child& child) {
    std::string out(4096, '\0');
    const auto got = read_full(child.output(), std::as_writable_bytes(std::span(out)), "the pipe");
    out.resize(got.value());
    return out;
}

}  // namespace

TEST_CASE("a command gets its arguments as they are, and its output and exit code come back") {
    auto child = Child::start({{"sh", "-c", "printf '%s|' \"$@\"; exit 7", "sh", "a b", "--", "", "*"}});
    REQUIRE(child);
    CHECK(output_of(*child) == "a b|--||*|");
    CHECK(child->wait({})->code == 7);
}

TEST_CASE("a command that a signal killed has 128 and the signal's number") {
    auto child = Child::start({{"sh", "-c", "kill -9 $$"}});
    REQUIRE(child);
    const auto end = child->wait({});
    CHECK(end->code == 137);
    CHECK(end->signal == 9);
    CHECK(describe_end(*end) == "the command was killed by signal 9");
    CHECK(describe_end({3, 0}, "a\nb") == "the command 'a\\x0Ab' failed with exit code 3");
}

TEST_CASE("what cannot be run is told apart from what does not exist") {
    const test::TempDir dir;
    const auto missing = Child::start({{"no-such-command-anywhere"}});
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::input_missing);
    const auto not_executable = Child::start({{dir.write("plain", "text")}});
    REQUIRE(!not_executable);
    CHECK(not_executable.error().code == ErrorCode::io);
}

TEST_CASE("a stop ends the waiting, and the command ends with its reader") {
    pid_t pid = 0;
    {
        auto child = Child::start({{"sh", "-c", "echo $$; trap '' TERM; exec >&-; exec sleep 1000"}});
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

TEST_CASE("a command reads the file that it was given, and has the environment as it was changed") {
    const test::TempDir dir;
    const auto input = open_input(dir.write("in", "old content"));
    ::setenv("AZLOCK_TEST_GONE", "1", 1);
    ::setenv("AZLOCK_TEST_NEW", "before", 1);
    ChildOptions options{{"sh", "-c", "cat; echo \"|$AZLOCK_TEST_NEW|$AZLOCK_TEST_GONE|\""}};
    options.environment_changes = {"AZLOCK_TEST_NEW=a=b", "AZLOCK_TEST_GONE"};
    options.input = input->get();
    auto child = Child::start(options);
    ::unsetenv("AZLOCK_TEST_GONE");
    ::unsetenv("AZLOCK_TEST_NEW");
    REQUIRE(child);
    CHECK(output_of(*child) == "old content|a=b||\n");
    CHECK(child->wait({})->code == 0);
}

TEST_CASE("with a group of its own the whole group is killed") {
    pid_t grandchild = 0;
    {
        ChildOptions options{{"sh", "-c", "sleep 1000 & echo $!; exec >&-; wait"}};
        options.own_group = true;
        auto child = Child::start(options);
        REQUIRE(child);
        std::string text(64, '\0');
        const ssize_t got = ::read(child->output(), text.data(), text.size());
        REQUIRE(got > 0);
        grandchild = static_cast<pid_t>(parse_u64(text.substr(0, text.find('\n'))).value());
        CHECK(::kill(grandchild, 0) == 0);
    }
    // It is gone, or a zombie that its new parent has not reaped yet.
    const auto dead = [&] {
        std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
        std::string line;
        std::getline(stat, line);
        return line.empty() || line.find(") Z") != std::string::npos;
    };
    CHECK(test::eventually(dead));
}

TEST_CASE("a command has the default action for a broken pipe, and no signal blocked") {
    auto child = Child::start({{"sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"}});
    REQUIRE(child);
    const std::string out = output_of(*child);
    CHECK(out.find("SigBlk:\t0000000000000000") != std::string::npos);
    CHECK(child->wait({})->code == 0);
}

TEST_CASE("a command's output can go to our standard error") {
    const test::TempDir dir;
    const std::string log = dir.file("log");
    const Fd before(::dup(STDERR_FILENO));
    const Fd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::dup2(file.get(), STDERR_FILENO) == STDERR_FILENO);
    ChildOptions options{{"echo", "text"}};
    options.capture_output = false;
    options.output_to_errors = true;
    auto echo = Child::start(options);
    ::dup2(before.get(), STDERR_FILENO);
    REQUIRE(echo);
    CHECK(echo->wait({})->code == 0);
    CHECK(test::read_text_file(log) == "text\n");
}

}  // namespace azlock::os
