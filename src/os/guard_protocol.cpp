#include "os/guard_protocol.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace azlock::os {

std::vector<std::string> read_changes(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1)) {
        out.emplace_back(text.substr(0, end));
    }
    return out;
}

bool send_packet(int socket, const std::string& packet, const Streams& streams) {
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

ssize_t receive_packet(int socket, std::span<char> packet, Streams& streams) {
    iovec part{packet.data(), packet.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof streams.fds)];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const cmsghdr* head = size < 0 ? nullptr : CMSG_FIRSTHDR(&message);
    if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        std::memcpy(streams.fds.data(), CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    }
    return size;
}

void sort_streams(Streams& streams, std::int64_t wanted) {
    const Streams came = streams;
    std::size_t next = 0;
    for (std::size_t i = 0; i < streams.fds.size(); ++i) {
        const int fd = (wanted & (1 << i)) != 0 ? came.fds[next++] : -1;
        streams.fds[i] = fd >= 0 && fd < 3 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : fd;
        if (streams.fds[i] != fd) close(fd);
    }
}

}  // namespace azlock::os
