#include "os/guard.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/guard_process.hpp"
#include "os/process_tree.hpp"

namespace azlock::os {
namespace {

constexpr int kForceSeconds = 30;

Error system_error(const char* what) {
    return make_error(ErrorCode::io, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Result<Guard> Guard::fork_one(std::vector<std::string> argv) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(system_error("cannot make the guard's socket"));
    }
    Fd ours(ends[0]);
    Fd theirs(ends[1]);
    const pid_t azlock = getpid();
    const pid_t child = fork();
    if (child < 0) return fail(system_error("cannot start the guard"));
    if (child == 0) {
        ours.reset();
        run_guard(argv, theirs.get(), azlock);
    }
    // If the guard is killed, what it had started becomes ours.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return Guard(std::move(ours), child);
}

Status Guard::start(const EndPoints& points, BootNs kill_after, bool foreground,
                    const std::vector<std::string>& environment_changes) {
    Order order;
    order.kind = Order::Kind::start;
    order.number = foreground ? 1 : 0;
    order.points = points;
    order.kill_after = kill_after;
    std::string packet(reinterpret_cast<const char*>(&order), sizeof order);
    for (const std::string& change : environment_changes) packet.append(change).push_back('\0');
    if (packet.size() > kMaxPacket || send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
        return fail(system_error("the guard does not take the command"));
    }
    busy_ = true;
    return {};
}

bool Guard::order(const Order& order) {
    return send(socket_.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof order);
}

std::optional<Report> Guard::report() {
    Report out;
    ssize_t size = 0;
    do size = recv(socket_.get(), &out, sizeof out, MSG_DONTWAIT);
    while (size < 0 && errno == EINTR);
    if (size == static_cast<ssize_t>(sizeof out)) {
        if (out.kind == Report::Kind::gone || out.kind == Report::Kind::not_started) busy_ = false;
        return out;
    }
    if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) gone_ = true;
    return std::nullopt;
}

void Guard::dismiss() {
    if (pid_ < 0) return;
    socket_.reset();
    // With nothing to guard it may go at once, also if it is stopped; else it goes when it has done its work.
    if (!busy_) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    pid_ = -1;
}

bool Guard::end_by_force() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    pid_ = -1;
    gone_ = true;
    return end_all_descendants(kForceSeconds);
}

}  // namespace azlock::os
