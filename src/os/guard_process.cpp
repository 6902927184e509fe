// The process of the guard.
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/command_cgroup.hpp"
#include "os/event_fds.hpp"
#include "os/guard_protocol.hpp"
#include "os/guard_terminal.hpp"
#include "os/launch.hpp"
#include "os/process_tree.hpp"
#include "os/say_at_once.hpp"

namespace azlock::os {
namespace {

constexpr int kKillPassMs = 3;
constexpr int kHopelessPassMs = 1000;
constexpr int kGroupPasses = 100;
constexpr int kShortageMs = 20;

BootNs boot_now() {
    return SystemClock().now().time_since_epoch().count();
}

bool is_job_control(int signal) {
    return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

class GuardProcess {
  public:
    GuardProcess(const std::vector<std::string>& argv, const GuardWords& words, const std::string& cgroup, int socket,
                 pid_t azlock)
        : argv_(argv), words_(words), cgroup_name_(cgroup), socket_(socket), azlock_(azlock) {}

    [[noreturn]] void run() {
        set_up();
        for (;;) {
            try {
                take_orders();
                reap();
                if (rules_.phase() == GuardRules::Phase::frozen && again_) freezer_.freeze(getpid());
                again_ = false;
                carry_out(rules_.timer(boot_now()));
                if (rules_.phase() == GuardRules::Phase::killing) kill_pass();
            } catch (const std::bad_alloc&) {
                again_ = true;  // the step is done again when there is memory
                (void)poll(nullptr, 0, kShortageMs);
                continue;
            }
            sleep_until_something();
        }
    }

  private:
    void set_up() {
        prctl(PR_SET_NAME, "azlock-guard");
        terminal_.open();
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGCONT);  // a stopped guard goes on when azlock dies
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        signals_ = SignalState::at_start();
        std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, the kernel would reap our children
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        children_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        azlock_fd_ = static_cast<int>(syscall(SYS_pidfd_open, azlock_, 0));
        if (children_ < 0 || timer_.fd() < 0 || azlock_fd_ < 0 || getppid() != azlock_) _exit(1);
    }

    void take_orders() {
        while (!azlock_gone_) {
            Streams streams;
            const ssize_t size = receive_packet(socket_, packet_, streams);
            if (size < 0 && errno == EINTR) continue;
            if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
            if (size < static_cast<ssize_t>(sizeof(Order))) return lose_azlock();
            Order order;
            std::memcpy(&order, packet_.data(), sizeof order);
            sort_streams(streams, order.streams);
            take(order, {packet_.data() + sizeof order, static_cast<std::size_t>(size) - sizeof order}, streams);
            for (const int fd : streams.fds) {
                if (fd >= 0) close(fd);
            }
        }
        pollfd entry{azlock_fd_, POLLIN, 0};
        if (!azlock_gone_ && poll(&entry, 1, 0) > 0) lose_azlock();
    }

    void take(const Order& order, std::string_view rest, const Streams& streams) {
        switch (order.kind) {
            case Order::Kind::start: return start(order, rest, streams);
            case Order::Kind::points: return rules_.new_points(order.points);
            case Order::Kind::freeze: return carry_out(rules_.freeze(order.points.kill));
            case Order::Kind::thaw: return carry_out(rules_.thaw(order.points));
            case Order::Kind::end: return carry_out(rules_.end(boot_now(), order.points.kill));
            case Order::Kind::signal: return pass_on(order.number);
            case Order::Kind::resume:
                if (order.number != 0) terminal_.give_to(command_);
                return signal_group(SIGCONT);
            case Order::Kind::leave: _exit(0);
        }
    }

    void start(const Order& order, std::string_view rest, const Streams& streams) {
        try {
            launch_command(order, rest, streams);
        } catch (const std::bad_alloc&) {
            report(Report::Kind::not_started, ENOMEM);
        }
    }

    void launch_command(const Order& order, std::string_view rest, const Streams& streams) {
        const std::vector<std::string> changes = read_changes(rest);
        if (boot_now() >= order.points.term) return report(Report::Kind::not_started, ETIME);
        cgroup_ = CommandCgroup::make(cgroup_name_);
        const Launched child =
            launch({argv_, changes, signals_, terminal_.fd(), order.number != 0, streams, cgroup_.entrance()});
        if (child.pid < 0) {
            cgroup_.remove();
            terminal_.take_from(command_);
            return report(Report::Kind::not_started, child.error, child.at_exec ? 1 : 0);
        }
        command_ = child.pid;
        running_ = true;
        rules_.started(order.points, order.kill_after);
        report(Report::Kind::started, child.pid);
    }

    void lose_azlock() {
        azlock_gone_ = true;
        if (command_ < 0) _exit(0);
        carry_out(rules_.azlock_gone(boot_now()));
        say_at_once(words_.azlock_gone);
    }

    void carry_out(const GuardSteps& steps) {
        if (steps.freeze) freezer_.freeze(getpid());
        if (steps.late) report(Report::Kind::late, 0, 0);
        if (steps.term) {
            pass_on(SIGTERM);
            report(Report::Kind::ending, 0);
            if (azlock_is_stopped()) say_at_once(words_.azlock_stopped);
        }
        if (steps.thaw) freezer_.thaw(getpid());
        if (steps.kill) kill_pass();
    }

    void kill_pass() {
        std::size_t refused = 0;
        cgroup_.kill();
        const std::size_t found = signal_descendants(getpid(), SIGKILL, &refused);
        refused_passes_ = found > 0 && found == refused ? refused_passes_ + 1 : 0;
        // The group also ends processes that we may not signal, but not within the same pass.
        if (refused_passes_ > (cgroup_ ? kGroupPasses : 0) && !hopeless_) {
            hopeless_ = true;
            report(Report::Kind::cannot_end, static_cast<int>(refused));
        }
        reap();
    }

    void reap() {
        for (;;) {
            int status = 0;
            const pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL);
            if (pid < 0 && errno == ECHILD && command_ >= 0) {
                // A subreaper without children has no descendants. azlock may send another command.
                cgroup_.remove();
                report(Report::Kind::gone, 0);
                if (azlock_gone_) _exit(0);
                rules_ = GuardRules();
                freezer_ = Freezer();
                command_ = -1;
                hopeless_ = false;
                refused_passes_ = 0;
                return;
            }
            if (pid <= 0) return;
            // After the command its process id is free for any other process, and that may become our child.
            if (pid != command_ || !running_) continue;
            if (WIFSTOPPED(status)) {
                note_stop(WSTOPSIG(status));
            } else {
                running_ = false;
                terminal_.take_from(command_);
                if (WIFSIGNALED(status)) terminal_.restore_modes();
                report(Report::Kind::exited, status);
            }
        }
    }

    void note_stop(int signal) {
        if (rules_.phase() != GuardRules::Phase::running) return;
        if (is_job_control(signal)) terminal_.take_from(command_);
        report(Report::Kind::stopped, signal);
    }

    // A signal that ends also reaches all that the command has left running. As with timeout(1) a CONT follows it: a
    // stopped process would not act on it. (While the lease is checked all stays stopped.)
    void pass_on(int signal) {
        if (signal != SIGTERM && signal != SIGINT && signal != SIGHUP && signal != SIGQUIT) return signal_group(signal);
        const bool continued = rules_.phase() != GuardRules::Phase::frozen;
        for (const int each : {signal, SIGCONT}) {
            if (each == SIGCONT && !continued) return;
            if (running_) {
                signal_group(each);
            } else {
                signal_descendants(getpid(), each);
            }
        }
    }

    void signal_group(int signal) {
        if (command_ < 0) return;
        if (running_) {
            kill(-command_, signal);
            return;
        }
        // The id of the group may be in use by another group now.
        for (const ProcessInfo& info : descendants_of(getpid())) {
            if (getpgid(info.pid) == command_) kill(info.pid, signal);
        }
    }

    [[nodiscard]] bool azlock_is_stopped() const {
        const auto azlock = azlock_gone_ ? std::nullopt : find_process(azlock_);
        return azlock && azlock->state == 'T';
    }

    void report(Report::Kind kind, int number, int step = 0) {
        if (azlock_gone_) return;
        Report out;
        out.kind = kind;
        out.number = number;
        out.step = step;
        const bool sent =
            send(socket_, &out, sizeof out, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof out);
        // If azlock is stopped, the socket may be full. It would wait for this report without end; our exit tells it.
        if (!sent && kind == Report::Kind::gone) _exit(0);
    }

    void sleep_until_something() {
        int timeout = -1;
        if (rules_.phase() == GuardRules::Phase::killing) {
            timeout = hopeless_ ? kHopelessPassMs : kKillPassMs;
        } else {
            timer_.set(BootTime(std::chrono::nanoseconds(rules_.next())));
        }
        pollfd entries[4] = {{children_, POLLIN, 0},
                             {timer_.fd(), POLLIN, 0},
                             {azlock_gone_ ? -1 : socket_, POLLIN, 0},
                             {azlock_gone_ ? -1 : azlock_fd_, POLLIN, 0}};
        (void)poll(entries, 4, timeout);
        signalfd_siginfo ignored;
        while (read(children_, &ignored, sizeof ignored) > 0) {
        }
    }

    const std::vector<std::string>& argv_;
    const GuardWords& words_;
    const std::string& cgroup_name_;
    int socket_;
    pid_t azlock_;
    int azlock_fd_ = -1;
    int children_ = -1;
    GuardTerminal terminal_;
    BootTimer timer_;
    SignalState signals_;
    GuardRules rules_;
    Freezer freezer_;
    pid_t command_ = -1;    // also its group's id
    bool running_ = false;  // not reaped yet
    bool azlock_gone_ = false;
    bool hopeless_ = false;
    int refused_passes_ = 0;
    bool again_ = false;
    CommandCgroup cgroup_;
    std::vector<char> packet_ = std::vector<char>(kMaxPacket);
};

}  // namespace

void run_guard(const std::vector<std::string>& argv, const GuardWords& words, const std::string& cgroup, int socket,
               pid_t azlock) {
    GuardProcess(argv, words, cgroup, socket, azlock).run();
}

}  // namespace azlock::os
