// Who gets an answer of an ancestor, with real processes.
#include <csignal>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/ancestor_socket.hpp"
#include "os/process_tree.hpp"
#include "support/catch.hpp"

namespace azlock::os {
namespace {

// What this process hears from `socket`, which answers the descendants of `root`.
std::optional<std::string> heard(const AncestorSocket& socket, pid_t root, const std::string& text) {
    const std::jthread answering([&](const std::stop_token& over) {
        while (!over.stop_requested()) {
            pollfd entry{socket.fd(), POLLIN, 0};
            (void)poll(&entry, 1, 10);
            socket.answer(root, text);
        }
    });
    return ask_ancestor(socket.name(), std::chrono::seconds(10));
}

}  // namespace

TEST_CASE("a descendant of the root gets the answer, and others get none") {
    const auto socket = AncestorSocket::create();
    REQUIRE(socket);
    CHECK(heard(*socket, getppid(), "held") == "held");
    CHECK(heard(*socket, getpid(), "held") == std::nullopt);
}

TEST_CASE("a socket that is gone does not answer, and its name does not come again") {
    std::string name;
    {
        const auto socket = AncestorSocket::create();
        REQUIRE(socket);
        name = socket->name();
    }
    CHECK(ask_ancestor(name, std::chrono::seconds(10)) == std::nullopt);
    CHECK(AncestorSocket::create()->name() != name);
    CHECK(ask_ancestor("", std::chrono::seconds(10)) == std::nullopt);
    CHECK(ask_ancestor(std::string(1000, 'x'), std::chrono::seconds(10)) == std::nullopt);
}

TEST_CASE("a grandchild descends from a process, and a brother does not") {
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    CHECK(descends_from(child, getpid()));
    CHECK(descends_from(child, getppid()));
    CHECK_FALSE(descends_from(getpid(), child));
    CHECK_FALSE(descends_from(getpid(), getpid()));
    CHECK_FALSE(descends_from(0, getpid()));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_FALSE(descends_from(child, getpid()));
}

}  // namespace azlock::os
