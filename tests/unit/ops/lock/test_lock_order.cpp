// What a NAME means, the exit code of each end of a lock's run, and the status file. Commands and time are real.
#include <csignal>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops/lock/lock_order.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"
#include "unit/told_signals.hpp"

namespace azlock::ops {
namespace {

using Kind = LockedRunEnd::Kind;
using test::why;

LockCodes codes() {
    return {std::nullopt, [](const Error& error) {
                if (error.lost) return 122;
                return error.code == ErrorCode::internal ? 70 : 99;
            }};
}

LockedRunEnd ended(Kind kind, ErrorCode code = ErrorCode::unavailable) {
    LockedRunEnd out;
    out.kind = kind;
    out.error = make_error(code, "for a test");
    return out;
}

// A lock "locks/name"; the status file gets words instead of JSON.
struct Order {
    explicit Order(const std::string& script = "exit 3")
        : guards(os::Guard::fork_many({"/bin/sh", "-c", script}, 1).value()) {
        service.make_container("locks");
        order.run.name = "name";
        order.run.timing = make_lock_timing(std::chrono::seconds(15), {}).value();
        order.codes = codes();
        order.status_file = dir.file("status");
        order.text_of = [this](const LockStatus& status, std::optional<int> code) {
            seen.push_back(status.outcome + (code ? " " + std::to_string(*code) : ""));
            return seen.back();
        };
        order.complain = [this](const Error& error) { complaints.push_back(error); };
        order.go = [this](LockedRun& run) {
            if (before) before();
            return run.run({});
        };
    }
    Result<LockedRunEnd> run(const azure::BlobAddress& address = {"locks", "name", {}}) {
        const auto tell = [](const std::string&) {};
        return run_lock_order(order, address,
                              {actor.client(), actor.client(), guards.front(), signals, {}, tell, {}, {}});
    }
    [[nodiscard]] std::string status() const { return test::read_text_file(dir.file("status")); }

    std::vector<os::Guard> guards;
    SystemClock clock;
    test::TempDir dir;
    test::FakeService service{clock, [] {
                                  test::FakeOptions out;
                                  out.account = test::kRigAccount;
                                  return out;
                              }()};
    test::Actor actor{service, clock, 1};
    test::ToldSignals signals;
    LockOrder order;
    std::function<void()> before;
    std::vector<std::string> seen;
    std::vector<Error> complaints;
};

}  // namespace

TEST_CASE("a lock's name is a blob in the container, and a whole TARGET has a lock beside it") {
    const azure::BlobAddress address{"c", "b", {}};
    CHECK(lock_target("nightly/report", "locks") == "locks/nightly/report");
    CHECK(make_lock_name("b", address, 1).value().first.blob == "b");
    for (const std::string target :
         {"az://c/b", "AZ://c/b", "https://x.blob.core.windows.net/c/b", "http://[::1]/a/c/b"}) {
        CAPTURE(target);
        CHECK(lock_target(target, "locks") == target);
        CHECK(make_lock_name(target, address, 1).value().first.blob == "b.azlock");
    }
    CHECK(make_lock_name("c", {"c", {}, {}}, 1).error().code == ErrorCode::usage);
    CHECK(make_lock_name("b", {"c", "b", "2026-01-01T00:00:00.0000000Z"}, 1).error().code == ErrorCode::usage);
}

TEST_CASE("no name of a lock is the name of another lock's slot") {
    const azure::BlobAddress address{"c", "release-1.2", {}};
    CHECK(make_lock_name("release-1.2", address, 1).value().first.blob == "release-1.2");
    const azure::BlobAddress slot = make_lock_name("release-1", {"c", "release-1", {}}, 3).value().slot(2);
    CHECK(slot.blob == "release-1.azlock.2");
    CHECK(make_lock_name(slot.blob, slot, 1).error().code == ErrorCode::usage);
    CHECK(make_lock_name("az://c/" + slot.blob, slot, 1).value().first.blob == slot.blob + ".azlock");
    for (const char* other : {"7", "x.azlock", "x.azlock.a1", "azlock.1"}) {
        CAPTURE(other);
        CHECK(make_lock_name(other, {"c", other, {}}, 1));
    }
}

TEST_CASE("each end of a run has its exit code") {
    LockedRunEnd end = ended(Kind::ran);
    CHECK(exit_code_of(end, codes()) == 70);  // without a status
    end.session.wait_status = 7 << 8;
    CHECK(exit_code_of(end, codes()) == 7);
    end.session.wait_status = SIGUSR1;
    CHECK(exit_code_of(end, codes()) == 128 + SIGUSR1);
    CHECK(exit_code_of(ended(Kind::timed_out), codes()) == 124);
    end = ended(Kind::lost);
    end.error->lost = true;
    CHECK(exit_code_of(end, codes()) == 122);
    end = ended(Kind::signalled);
    end.session.signal = SIGTERM;
    CHECK(exit_code_of(end, codes()) == 143);
    end = ended(Kind::not_started);
    CHECK(exit_code_of(end, codes()) == 125);
    end.session.at_exec = true;
    end.session.error = ENOENT;
    CHECK(exit_code_of(end, codes()) == 127);
}

TEST_CASE("a refused lock has the code of its error, unless another one was chosen for a busy lock") {
    LockCodes chosen = codes();
    chosen.busy = 9;
    CHECK(exit_code_of(ended(Kind::refused, ErrorCode::busy), codes()) == 99);
    CHECK(exit_code_of(ended(Kind::refused, ErrorCode::busy), chosen) == 9);
    CHECK(exit_code_of(ended(Kind::refused, ErrorCode::auth), chosen) == 99);
}

TEST_CASE("the status file tells each step of a run") {
    Order order;
    order.before = [&] { CHECK(order.status() == "waiting"); };
    const auto end = order.run();
    INFO(why(end));
    REQUIRE(end);
    CHECK(exit_code_of(*end, codes()) == 3);
    CHECK(order.seen == std::vector<std::string>{"waiting", "held", "ran 3"});
    CHECK(order.status() == "ran 3");
    CHECK(order.complaints.empty());
}

TEST_CASE("without a status file nothing is written") {
    Order order;
    order.order.status_file.clear();
    REQUIRE(order.run());
    CHECK(order.seen.empty());
    CHECK(order.dir.names().empty());
}

TEST_CASE("a status file that cannot be written ends the run before it begins, but not later") {
    Order order;
    SECTION("before: nothing was sent") {
        order.order.status_file = order.dir.file("no/folder");
        const auto end = order.run();
        REQUIRE(!end);
        CHECK(end.error().code == ErrorCode::io);
        CHECK(order.service.requests() == 0);
    }
    SECTION("later: the command runs, and each failure is told") {
        order.before = [&] {
            REQUIRE(::unlink(order.order.status_file.c_str()) == 0);
            REQUIRE(::mkdir(order.order.status_file.c_str(), 0700) == 0);
        };
        const auto end = order.run();
        REQUIRE(end);
        CHECK(exit_code_of(*end, codes()) == 3);
        CHECK(order.complaints.size() == 2);
    }
}

TEST_CASE("an address that is no lock is refused before anything is written or sent") {
    Order order;
    const auto end = order.run({"locks", {}, {}});
    REQUIRE(!end);
    CHECK(end.error().code == ErrorCode::usage);
    CHECK(order.dir.names().empty());
    CHECK(order.service.requests() == 0);
}

TEST_CASE("after ^C the whole process group ends by it") {
    const pid_t leader = ::fork();
    REQUIRE(leader >= 0);
    if (leader == 0) {
        std::signal(SIGINT, SIG_DFL);  // not the test program's handler, which would report a failure
        ::setpgid(0, 0);
        os::die_with_group_of(SIGINT);
    }
    int status = 0;
    REQUIRE(::waitpid(leader, &status, 0) == leader);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGINT);
}

}  // namespace azlock::ops
