#include "os/guard.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_limit.hpp"
#include "os/command_cgroup.hpp"
#include "os/process_tree.hpp"
#include "os/process_view.hpp"
#include "os/started.hpp"

namespace azlock::os {
namespace {

constexpr int kForceSeconds = 30;

// What the guard and azlock need until the command runs. Later they need fewer.
constexpr std::size_t kDescriptors = 24;

Error system_error(const char* what, int errno_value) {
    if (const auto limit = reached_limit(errno_value)) return limit_error(*limit);
    return make_error(ErrorCode::io, std::string(what) + ": " + std::strerror(errno_value));
}

Status check_descriptors(int any) {
    std::vector<Fd> room;
    while (room.size() < kDescriptors) {
        room.emplace_back(fcntl(any, F_DUPFD_CLOEXEC, 0));
        if (!room.back()) return fail(limit_error(SystemLimit::open_files));
    }
    return {};
}

}  // namespace

Result<std::vector<Guard>> Guard::fork_many(const std::vector<std::string>& argv, std::size_t count,
                                            const GuardWords& words) {
    if (auto ok = check_process_view(); !ok) return fail(ok.error());
    const std::vector<pid_t> strangers = children_of_ours();
    std::vector<Guard> out;
    while (out.size() < count) {
        auto guard = fork_beside(argv, words, strangers, out);
        if (!guard) return fail(guard.error());
        out.push_back(std::move(*guard));
    }
    return out;
}

Result<Guard> Guard::fork_beside(const std::vector<std::string>& argv, const GuardWords& words,
                                 const std::vector<pid_t>& strangers, std::vector<Guard>& others) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(system_error("cannot make the guard's socket", errno));
    }
    Fd ours(ends[0]);
    Fd theirs(ends[1]);
    if (auto ok = check_descriptors(ends[0]); !ok) return fail(ok.error());
    const pid_t azlock = getpid();
    std::string cgroup = new_own_name();
    const pid_t child = fork();
    if (child < 0)
        return fail(errno == EAGAIN ? limit_error(SystemLimit::threads)
                                    : system_error("cannot start the guard", errno));
    if (child == 0) {
        ours.reset();
        for (Guard& other : others) other.socket_.reset();  // else it would not see azlock close its end
        run_guard(argv, words, cgroup, theirs.get(), azlock);
    }
    // If the guard is killed, its children become ours.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return Guard(std::move(ours), child, std::move(cgroup), strangers);
}

Status Guard::start(const EndPoints& points, BootNs kill_after, bool foreground,
                    const std::vector<std::string>& environment_changes, const Streams& streams) {
    Order order;
    order.kind = Order::Kind::start;
    order.number = foreground ? 1 : 0;
    order.points = points;
    order.kill_after = kill_after;
    for (std::size_t i = 0; i < streams.fds.size(); ++i) order.streams |= streams.fds[i] >= 0 ? 1 << i : 0;
    std::string packet(reinterpret_cast<const char*>(&order), sizeof order);
    for (const std::string& change : environment_changes) packet.append(change).push_back('\0');
    constexpr const char* kRefused = "the guard does not accept the command";
    if (packet.size() > kMaxPacket) return fail(system_error(kRefused, E2BIG));
    if (!send_packet(socket_.get(), packet, streams)) return fail(system_error(kRefused, errno));
    if (pid_ > 0) (void)kill(pid_, SIGCONT);
    busy_ = true;
    if (streams.fds[STDERR_FILENO] < 0) note_command_started();
    return {};
}

bool Guard::order(const Order& order) {
    const bool sent =
        send(socket_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof order);
    if (pid_ > 0) (void)kill(pid_, SIGCONT);
    return sent;
}

bool Guard::rouse() {
    siginfo_t info{};
    if (pid_ <= 0 || waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != pid_) {
        return false;
    }
    (void)kill(pid_, SIGCONT);
    return true;
}

std::optional<Report> Guard::report() {
    Report out;
    ssize_t size = 0;
    do size = recv(socket_.get(), &out, sizeof out, MSG_DONTWAIT);
    while (size < 0 && errno == EINTR);
    if (size == static_cast<ssize_t>(sizeof out)) {
        if (out.kind == Report::Kind::gone || out.kind == Report::Kind::not_started) busy_ = false;
        if (out.kind == Report::Kind::started) command_ = out.number;
        if (out.kind == Report::Kind::exited) command_ = -1;
        return out;
    }
    if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) gone_ = true;
    return std::nullopt;
}

void Guard::dismiss() {
    if (pid_ < 0) return;
    socket_.reset();
    // Without a command the guard can end at once. Else it exits after its work.
    kill(pid_, busy_ ? SIGCONT : SIGKILL);
    if (!busy_) {
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    pid_ = -1;
}

ForcedEnd Guard::end_by_force() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    pid_ = -1;
    gone_ = true;
    CommandCgroup group = CommandCgroup::find(cgroup_);
    group.kill();
    ForcedEnd out;
    WatchedEnd command{command_, {}};
    out.nothing_left = end_all_descendants(kForceSeconds, strangers_, &command);
    out.wait_status = command.status;
    if (out.nothing_left) group.remove();
    return out;
}

}  // namespace azlock::os
