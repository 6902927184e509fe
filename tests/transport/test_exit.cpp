// A process that has made HTTPS requests ends without a hang and without a crash.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;

namespace {

// exit_probe with its standard input held open by this process.
class Probe {
  public:
    Probe(std::uint16_t port, bool in_flight) {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        const Fd input(ends[0]);
        hold_ = Fd(ends[1]);
        const std::string port_text = std::to_string(port);
        const char* arguments[] = {AZLOCK_EXIT_PROBE, test_root_file().c_str(), port_text.c_str(),
                                   in_flight ? "in-flight" : nullptr, nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input.get(), 0);
        const int failed =
            ::posix_spawn(&pid_, AZLOCK_EXIT_PROBE, &actions, nullptr, const_cast<char**>(arguments), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (failed != 0) throw std::runtime_error("cannot run " AZLOCK_EXIT_PROBE);
    }

    void let_go() { hold_.reset(); }

    // How it ended: the exit code, 128 + signal, or -1 if it hung and had to be killed.
    int wait() {
        const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
        pollfd ended{process.get(), POLLIN, 0};
        const bool hung = ::poll(&ended, 1, 20'000) == 0;
        if (hung) ::kill(pid_, SIGKILL);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        if (hung) return -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    Fd hold_;
    pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("Five hundred processes end well after an HTTPS request") {
    WireServer server(answer_everything(), WireOptions{.tls = true});
    constexpr int kRuns = 500;
    constexpr int kLanes = 4;
    std::atomic<int> next{0};
    std::atomic<int> well{0};
    std::mutex mutex;
    std::map<int, int> badly;
    {
        std::vector<std::jthread> lanes;
        for (int i = 0; i < kLanes; ++i) {
            lanes.emplace_back([&] {
                while (next++ < kRuns) {
                    const int code = Probe(server.port(), false).wait();
                    if (code == 0) {
                        ++well;
                    } else {
                        const std::lock_guard lock(mutex);
                        ++badly[code];
                    }
                }
            });
        }
    }
    for (const auto& [code, times] : badly) FAIL_CHECK(times << " processes ended with " << code);
    CHECK(well == kRuns);
    CHECK(server.counted("request") == kRuns);
}

TEST_CASE("A process with requests in flight ends at once") {
    WireServer server(
        [](Wire& wire) {
            wire.read_request();
            wire.server().count("request");
            wire.wait_for_client();
        },
        WireOptions{.tls = true});
    for (int i = 1; i <= 20; ++i) {
        Probe probe(server.port(), true);
        REQUIRE(server.wait_for("request", 4 * i));
        probe.let_go();
        CHECK(probe.wait() == 0);
    }
}
