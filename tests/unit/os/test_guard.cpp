// The guard with real processes.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/guard.hpp"
#include "os/process_tree.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::os {
namespace {

constexpr BootNs kSecond = 1'000'000'000;
constexpr int kPatienceMs = 60'000;

BootNs boot_now() {
    timespec t{};
    clock_gettime(CLOCK_BOOTTIME, &t);
    return static_cast<BootNs>(t.tv_sec) * kSecond + t.tv_nsec;
}

bool runs(pid_t pid) {
    const auto all = all_processes();
    for (const ProcessInfo& info : all) {
        if (info.pid == pid) return info.state != 'Z' && info.state != 'X';
    }
    return false;
}

// Waits until it is true; false after that time.
bool eventually(const std::function<bool()>& what, int within_ms = kPatienceMs) {
    const BootNs end = boot_now() + within_ms * (kSecond / 1000);
    while (!what()) {
        if (boot_now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

std::string text_of(const std::string& path) {
    return access(path.c_str(), R_OK) == 0 ? test::read_text_file(path) : std::string();
}

Guard fork_one(const std::vector<std::string>& argv) {
    return std::move(Guard::fork_many(argv, 1).value().front());
}

struct Guarded {
    explicit Guarded(const std::string& script)
        : guard(fork_one({"/bin/sh", "-c", "cd '" + dir.path() + "'; " + script})) {}
    ~Guarded() {
        if (guard.pid() > 0) (void)guard.end_by_force();
    }

    void start(BootNs term = kNeverNs, BootNs kill = kNeverNs, const std::vector<std::string>& changes = {}) {
        REQUIRE(guard.start({term, kill}, kSecond, false, changes));
        const Report started = wait_for(Report::Kind::started);
        pid = started.number;
    }

    // The next report of this kind; others are dropped.
    Report wait_for(Report::Kind kind) {
        const BootNs end = boot_now() + kPatienceMs * (kSecond / 1000);
        while (boot_now() < end) {
            while (const auto report = guard.report()) {
                if (report->kind == kind) return *report;
            }
            REQUIRE(!guard.gone());
            pollfd entry{guard.fd(), POLLIN, 0};
            (void)poll(&entry, 1, 100);
        }
        FAIL("no such report");
        return {};
    }

    void order(Order::Kind kind, BootNs term = kNeverNs, BootNs kill = kNeverNs, int number = 0) {
        Order out;
        out.kind = kind;
        out.points = {term, kill};
        out.number = number;
        REQUIRE(guard.order(out));
    }

    [[nodiscard]] std::string file(const std::string& name) const { return text_of(dir.file(name)); }
    bool appears(const std::string& name) {
        return eventually([&] { return !file(name).empty(); });
    }

    test::TempDir dir;
    Guard guard;
    pid_t pid = -1;
};

}  // namespace

TEST_CASE("the guard tells how the command ended") {
    Guarded g("exit 7");
    g.start();
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(WIFEXITED(ended.number));
    CHECK(WEXITSTATUS(ended.number) == 7);
    (void)g.wait_for(Report::Kind::gone);
    g.guard.dismiss();
}

TEST_CASE("the guard tells which signal ended the command") {
    Guarded g("kill -9 $$");
    g.start();
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(WIFSIGNALED(ended.number));
    CHECK(WTERMSIG(ended.number) == SIGKILL);
}

TEST_CASE("one guard runs one command after the other") {
    Guarded g("echo x >> ran");
    for (int i = 0; i < 3; ++i) {
        g.start();
        (void)g.wait_for(Report::Kind::gone);
    }
    CHECK(g.file("ran") == "x\nx\nx\n");
    g.guard.dismiss();
}

TEST_CASE("a command that does not exist is told with its errno") {
    Guard guard = fork_one({"/nonexistent/command"});
    REQUIRE(guard.start({}, kSecond, false, {}));
    std::optional<Report> report;
    REQUIRE(eventually([&] { return (report = guard.report()).has_value(); }));
    CHECK(report->kind == Report::Kind::not_started);
    CHECK(report->number == ENOENT);
    CHECK(report->step == 1);
    guard.dismiss();
}

TEST_CASE("an environment that is too large for the guard is refused with this reason") {
    Guard guard = fork_one({"/bin/true"});
    errno = EPERM;  // of an older call
    const auto started = guard.start({}, kSecond, false, {"LARGE=" + std::string(kMaxPacket, 'x')});
    REQUIRE_FALSE(started);
    CHECK(started.error().message == "the guard does not accept the command: Argument list too long");
    guard.dismiss();
}

TEST_CASE("a command whose TERM point has passed is not started") {
    Guarded g("echo ran > ran");
    REQUIRE(g.guard.start({boot_now() - 1, boot_now() + kSecond}, kSecond, false, {}));
    CHECK(g.wait_for(Report::Kind::not_started).number == ETIME);
    CHECK(g.file("ran").empty());
}

TEST_CASE("the command gets the environment's changes, the last word over what was there") {
    setenv("AZLOCK_TEST_A", "outer", 1);
    setenv("AZLOCK_TEST_B", "outer", 1);
    Guarded g("echo \"$AZLOCK_TEST_A-${AZLOCK_TEST_B-none}-$AZLOCK_TEST_C\" > seen");
    g.start(kNeverNs, kNeverNs, {"AZLOCK_TEST_A=inner", "AZLOCK_TEST_B", "AZLOCK_TEST_C=a b=c"});
    (void)g.wait_for(Report::Kind::gone);
    CHECK(g.file("seen") == "inner-none-a b=c\n");
    unsetenv("AZLOCK_TEST_A");
    unsetenv("AZLOCK_TEST_B");
}

TEST_CASE("the command gets no descriptor of ours, and those of our parent") {
    const int inherited = open("/dev/null", O_RDONLY);
    REQUIRE(inherited > 2);
    // When ls runs, the shell has only the descriptors that it was given: the script redirects only its own output.
    std::string expected;
    for (int fd = 0; fd < 1024; ++fd) {
        const int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) expected += std::to_string(fd) + "\n";
    }
    Guarded g("exec > found; ls /proc/$$/fd; sort -n found > seen");
    g.start();
    (void)g.wait_for(Report::Kind::gone);
    close(inherited);
    CHECK(g.file("seen") == expected);
}

TEST_CASE("the command is alone in a process group and has the dispositions that we were given") {
    struct sigaction ignore {};
    struct sigaction plain {};
    struct sigaction before {};
    struct sigaction pipe {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGUSR2, &ignore, &before);
    sigaction(SIGPIPE, &plain, &pipe);  // a test that ran before may have left it ignored
    Guarded g("grep -E 'SigBlk|SigIgn' /proc/self/status > seen; cut -d' ' -f1,5 /proc/self/stat > group");
    sigaction(SIGUSR2, &before, nullptr);
    sigaction(SIGPIPE, &pipe, nullptr);
    g.start();
    (void)g.wait_for(Report::Kind::gone);
    const std::string seen = g.file("seen");
    INFO(seen);
    CHECK(seen.find("SigBlk:\t0000000000000000") != std::string::npos);
    CHECK(seen.find("SigIgn:\t0000000000000800") != std::string::npos);
    const std::string group = g.file("group");
    CHECK(group.substr(group.find(' ') + 1) == std::to_string(g.pid) + "\n");
}

TEST_CASE("without newer points TERM comes at its point and KILL at its own, for one who does not hear TERM") {
    Guarded g("trap 'echo term > term' TERM; echo up > up; while :; do sleep 0.05; done");
    g.start();
    REQUIRE(g.appears("up"));
    const BootNs now = boot_now();
    g.order(Order::Kind::points, now + kSecond, now + 6 * kSecond);
    (void)g.wait_for(Report::Kind::ending);
    CHECK(boot_now() >= now + kSecond);
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(boot_now() >= now + 6 * kSecond);
    CHECK(WTERMSIG(ended.number) == SIGKILL);
    CHECK(g.file("term") == "term\n");
}

TEST_CASE("the points that come with the start hold, too") {
    Guarded g("exec sleep 600");
    const BootNs now = boot_now();
    g.start(now + 4 * kSecond, now + 60 * kSecond);
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(boot_now() >= now + 4 * kSecond);
    CHECK(WTERMSIG(ended.number) == SIGTERM);
}

TEST_CASE("newer points keep the command alive") {
    Guarded g("echo up > up; exec sleep 600");
    const BootNs now = boot_now();
    g.start(now + 4 * kSecond, now + 5 * kSecond);
    g.order(Order::Kind::points, now + 600 * kSecond, now + 601 * kSecond);
    REQUIRE(eventually([&] { return boot_now() > now + 5 * kSecond + kSecond / 2; }));
    CHECK(runs(g.pid));
    g.order(Order::Kind::end, kNeverNs, boot_now());
    (void)g.wait_for(Report::Kind::gone);
}

TEST_CASE("when azlock's end of the socket closes, the command is ended") {
    Guarded g("trap '' TERM; echo up > up; while :; do sleep 0.05; done");
    g.start();
    REQUIRE(g.appears("up"));
    const pid_t pid = g.pid;
    const pid_t guard = g.guard.pid();
    { const Guard gone = std::move(g.guard); }
    CHECK(eventually([&] { return !runs(pid); }));
    CHECK(eventually([&] { return waitpid(guard, nullptr, WNOHANG) == guard; }));
}

TEST_CASE("KILL ends every descendant: in other sessions, daemons, those who hear nothing") {
    Guarded g(
        "trap '' TERM HUP INT\n"
        "run() { echo $1 >> pids; while :; do sleep 0.05; done; }\n"
        "(run a) & setsid sh -c 'echo b >> pids; while :; do sleep 0.05; done' &\n"
        "(setsid sh -c '(echo c >> pids; trap \"\" TERM; while :; do sleep 0.05; done) &' &)\n"
        "echo d >> pids; wait");
    g.start();
    REQUIRE(eventually([&] { return g.file("pids").size() == 8; }));
    g.order(Order::Kind::end, kNeverNs, boot_now());
    (void)g.wait_for(Report::Kind::gone);
    CHECK(descendants_of(g.guard.pid()).empty());
}

TEST_CASE("KILL wins against a command that forks as fast as it can") {
    Guarded g("trap '' TERM; echo up > up; f() { f & f2=$!; wait $f2; }; while :; do (sleep 0.2 & sleep 0.2 &) ; done");
    g.start();
    REQUIRE(g.appears("up"));
    g.order(Order::Kind::end, kNeverNs, boot_now());
    (void)g.wait_for(Report::Kind::gone);
    CHECK(descendants_of(g.guard.pid()).empty());
}

TEST_CASE("frozen, nothing of the command runs; thawed, all of it goes on") {
    Guarded g(
        "(while :; do echo . >> ticks; sleep 0.02; done) & setsid sh -c 'while :; do echo . >> ticks; sleep 0.02; "
        "done' & wait");
    g.start();
    REQUIRE(g.appears("ticks"));
    g.order(Order::Kind::freeze, kNeverNs, boot_now() + 600 * kSecond);
    const auto all_stopped = [&] {
        const auto all = descendants_of(g.guard.pid());
        for (const ProcessInfo& info : all) {
            if (info.state != 'T' && info.state != 'D') return false;  // D: a vfork whose child is stopped
        }
        return all.size() >= 3;
    };
    std::string ticks;
    // One that waits for a disk when it is stopped may write its tick first.
    const auto frozen = [&] {
        if (!all_stopped()) return false;
        ticks = g.file("ticks");
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return g.file("ticks") == ticks;
    };
    REQUIRE(eventually(frozen));
    g.order(Order::Kind::thaw);
    CHECK(eventually([&] { return g.file("ticks").size() > ticks.size() + 10; }));
}

TEST_CASE("a frozen command about which nobody says more is killed") {
    Guarded g("echo up > up; exec sleep 600");
    g.start();
    REQUIRE(g.appears("up"));
    g.order(Order::Kind::freeze, kNeverNs, boot_now() + kSecond);
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(WTERMSIG(ended.number) == SIGKILL);
}

TEST_CASE("a guard that wakes too late freezes the command and asks") {
    // The guard hands on a signal after it has taken the points.
    Guarded g("trap 'echo told > told' USR1; echo up > up; while :; do sleep 0.02; done");
    g.start();
    REQUIRE(g.appears("up"));
    const BootNs term = boot_now() + 6 * kSecond;
    g.order(Order::Kind::points, term, term + kSecond);
    g.order(Order::Kind::signal, kNeverNs, kNeverNs, SIGUSR1);
    REQUIRE(g.appears("told"));
    REQUIRE(kill(g.guard.pid(), SIGSTOP) == 0);
    REQUIRE(boot_now() < term);
    REQUIRE(eventually([&] { return boot_now() > term + kSecond + kSecond / 2; }));
    REQUIRE(kill(g.guard.pid(), SIGCONT) == 0);
    (void)g.wait_for(Report::Kind::late);
    const auto state = [&] { return find_process(g.pid).value().state; };
    CHECK(eventually([&] { return state() == 'T'; }));
    g.order(Order::Kind::thaw, boot_now() + 600 * kSecond, boot_now() + 601 * kSecond);
    CHECK(eventually([&] { return state() != 'T'; }));
}

TEST_CASE("the command dies with its guard, and what it had started can be ended by azlock") {
    Guarded g("(trap '' TERM HUP; while :; do echo . >> ticks; sleep 0.02; done) & exec sleep 600");
    g.start();
    REQUIRE(g.appears("ticks"));
    REQUIRE(kill(g.guard.pid(), SIGKILL) == 0);
    CHECK(eventually([&] { return !runs(g.pid); }));
    REQUIRE(eventually([&] { return !g.guard.report() && g.guard.gone(); }));
    CHECK(g.guard.end_by_force().nothing_left);
    const std::string ticks = g.file("ticks");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(g.file("ticks") == ticks);
}

TEST_CASE("a guard that is stopped is ended by force with all that it started") {
    Guarded g("(trap '' TERM HUP; while :; do echo . >> ticks; sleep 0.02; done) & exec sleep 600");
    g.start();
    REQUIRE(g.appears("ticks"));
    REQUIRE(kill(g.guard.pid(), SIGSTOP) == 0);
    CHECK(g.guard.end_by_force().nothing_left);
    const std::string ticks = g.file("ticks");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(g.file("ticks") == ticks);
}

TEST_CASE("an order continues a guard that is stopped") {
    Guarded g("echo up > up; exec sleep 600");
    g.start();
    REQUIRE(g.appears("up"));
    REQUIRE(kill(g.guard.pid(), SIGSTOP) == 0);
    g.order(Order::Kind::signal, kNeverNs, kNeverNs, SIGTERM);
    CHECK(WTERMSIG(g.wait_for(Report::Kind::exited).number) == SIGTERM);
}

TEST_CASE("the end of a command is told even if nobody has read what the guard said before") {
    Guarded g("while :; do kill -STOP $$; done");
    g.start();
    // Each stop is a report. The socket is full when no further stop makes it fuller.
    int unread = 0;
    for (int vain = 0; vain < 5;) {
        REQUIRE(eventually([&] { return find_process(g.pid).value().state == 'T'; }));
        int now = 0;
        const auto fuller = [&] {
            REQUIRE(ioctl(g.guard.fd(), FIONREAD, &now) == 0);
            return now > unread;
        };
        const bool more = eventually(fuller, 200);
        vain = more ? 0 : vain + 1;
        unread = now;
        REQUIRE(kill(g.pid, SIGCONT) == 0);
    }
    REQUIRE(kill(g.pid, SIGKILL) == 0);
    CHECK(eventually([&] {
        const auto report = g.guard.report();
        return g.guard.gone() || (report && report->kind == Report::Kind::gone);
    }));
}

TEST_CASE("a guard that stands still is continued, once for each stop") {
    Guarded g("exec sleep 600");
    g.start();
    CHECK(!g.guard.rouse());
    REQUIRE(kill(g.guard.pid(), SIGSTOP) == 0);
    CHECK(eventually([&] { return g.guard.rouse(); }));
    CHECK(!g.guard.rouse());
    CHECK(eventually([&] { return find_process(g.guard.pid()).value().state != 'T'; }));
}

TEST_CASE("the end of a command that a stopped guard has not told is known after the end by force") {
    Guarded g("until [ -e go ]; do sleep 0.02; done; exit 7");
    g.start();
    REQUIRE(kill(g.guard.pid(), SIGSTOP) == 0);
    (void)g.dir.write("go", "");
    REQUIRE(eventually([&] { return find_process(g.pid).value().state == 'Z'; }));
    const ForcedEnd end = g.guard.end_by_force();
    CHECK(end.nothing_left);
    CHECK(end.wait_status == 7 << 8);
}

TEST_CASE("an end by force says nothing about a command whose end the guard has told") {
    Guarded g("sleep 600 & exit 7");
    g.start();
    CHECK(g.wait_for(Report::Kind::exited).number == 7 << 8);
    const ForcedEnd end = g.guard.end_by_force();
    CHECK(end.nothing_left);
    CHECK(!end.wait_status);
}

TEST_CASE("signals are handed on to the command's group") {
    Guarded g("trap 'echo usr1 > usr1' USR1; echo up > up; while :; do sleep 0.02; done");
    g.start();
    REQUIRE(g.appears("up"));
    g.order(Order::Kind::signal, kNeverNs, kNeverNs, SIGUSR1);
    CHECK(g.appears("usr1"));
    g.order(Order::Kind::signal, kNeverNs, kNeverNs, SIGTERM);
    const Report ended = g.wait_for(Report::Kind::exited);
    CHECK(WTERMSIG(ended.number) == SIGTERM);
}

TEST_CASE("told to leave, the guard goes and the command's orphans run on") {
    Guarded g("sh -c 'trap \"\" HUP; while :; do echo . >> ticks; sleep 0.02; done' & exit 0");
    g.start();
    (void)g.wait_for(Report::Kind::exited);
    REQUIRE(g.appears("ticks"));
    g.order(Order::Kind::leave);
    REQUIRE(eventually([&] { return !g.guard.report() && g.guard.gone(); }));
    const std::size_t before = g.file("ticks").size();
    CHECK(eventually([&] { return g.file("ticks").size() > before + 10; }));
    CHECK(g.guard.end_by_force().nothing_left);
}

TEST_CASE("the command gets the streams that come with the order to start it") {
    Guarded g("read word; echo \"$word out\"; echo \"$word err\" >&2");
    const Fd input(open(g.dir.write("in", "said\n").c_str(), O_RDONLY | O_CLOEXEC));
    const Fd output(open((g.dir.path() + "/out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const Fd error(open((g.dir.path() + "/err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(g.guard.start({}, kSecond, false, {}, {{input.get(), output.get(), error.get()}}));
    CHECK(g.wait_for(Report::Kind::exited).number == 0);
    (void)g.wait_for(Report::Kind::gone);
    CHECK(text_of(g.dir.path() + "/out") == "said out\n");
    CHECK(text_of(g.dir.path() + "/err") == "said err\n");
    // Again, with one stream only.
    const Fd again(open(g.dir.write("in", "twice\n").c_str(), O_RDONLY | O_CLOEXEC));
    const Fd later(open((g.dir.path() + "/later").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(g.guard.start({}, kSecond, false, {}, {{again.get(), later.get(), -1}}));
    (void)g.wait_for(Report::Kind::gone);
    CHECK(text_of(g.dir.path() + "/later") == "twice out\n");
}

TEST_CASE("of several guards each goes when it is let go, and the others stay") {
    const test::TempDir dir;
    auto guards = Guard::fork_many({"/bin/sh", "-c", "sleep 600"}, 3);
    REQUIRE(guards);
    for (Guard& guard : *guards) REQUIRE(guard.start({}, kSecond / 100, false, {}));
    const pid_t first = (*guards)[0].pid();
    (*guards)[0].dismiss();
    CHECK(eventually([&] {
        (void)waitpid(first, nullptr, WNOHANG);
        return !runs(first);
    }));
    CHECK(runs((*guards)[1].pid()));
    CHECK(runs((*guards)[2].pid()));
    CHECK((*guards)[2].end_by_force().nothing_left);
}

}  // namespace azlock::os
