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
    return ask_ancestor(socket.name(), std::chrono::seconds(10)).text;
}

bool is_none(const AncestorSays& said) {
    return !said.text && !said.silent;
}

}  // namespace

TEST_CASE("an ancestor that does not answer is silent; another process that does not answer is none") {
    const auto ours = AncestorSocket::create();
    REQUIRE(ours);
    const pid_t child = fork();
    if (child == 0) _exit(ask_ancestor(ours->name(), std::chrono::milliseconds(50)).silent ? 1 : 0);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 1);
    int name_pipe[2];
    REQUIRE(pipe(name_pipe) == 0);
    const pid_t brother = fork();
    if (brother == 0) {
        const auto socket = AncestorSocket::create();
        (void)!write(name_pipe[1], socket->name().data(), socket->name().size());
        pause();
        _exit(0);
    }
    char name[200];
    const ssize_t size = read(name_pipe[0], name, sizeof name);
    CHECK(is_none(ask_ancestor(std::string(name, static_cast<std::size_t>(size)), std::chrono::milliseconds(50))));
    kill(brother, SIGKILL);
    waitpid(brother, nullptr, 0);
    close(name_pipe[0]);
    close(name_pipe[1]);
}

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
    CHECK(is_none(ask_ancestor(name, std::chrono::seconds(10))));
    CHECK(AncestorSocket::create()->name() != name);
    CHECK(is_none(ask_ancestor("", std::chrono::seconds(10))));
    CHECK(is_none(ask_ancestor(std::string(1000, 'x'), std::chrono::seconds(10))));
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
