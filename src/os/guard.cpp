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

// Sends the packet, and copies of the descriptors with it.
bool send_with(int socket, const std::string& packet, const Streams& streams) {
    iovec part{const_cast<char*>(packet.data()), packet.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    std::vector<int> fds;
    for (const int fd : streams.fds) {
        if (fd >= 0) fds.push_back(fd);
    }
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof streams.fds)] = {};
    if (!fds.empty()) {
        const std::size_t size = fds.size() * sizeof(int);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(head), fds.data(), size);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

}  // namespace

Result<Guard> Guard::fork_one(std::vector<std::string> argv) {
    std::vector<Guard> none;
    return fork_beside(argv, none);
}

Result<std::vector<Guard>> Guard::fork_many(const std::vector<std::string>& argv, std::size_t count) {
    std::vector<Guard> out;
    while (out.size() < count) {
        auto guard = fork_beside(argv, out);
        if (!guard) return fail(guard.error());
        out.push_back(std::move(*guard));
    }
    return out;
}

Result<Guard> Guard::fork_beside(const std::vector<std::string>& argv, std::vector<Guard>& others) {
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
        for (Guard& other : others) other.socket_.reset();  // else it would not see azlock close its end
        run_guard(argv, theirs.get(), azlock);
    }
    // If the guard is killed, its children become ours.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return Guard(std::move(ours), child);
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
    if (packet.size() > kMaxPacket || !send_with(socket_.get(), packet, streams)) {
        return fail(system_error("the guard does not accept the command"));
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
    // Without a command the guard can end at once, even if it is stopped. Else it exits after its work.
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
