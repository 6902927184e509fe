#include "os/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace azlock::os {
namespace {

ChildEnd end_of(int status) {
    if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
    return {WEXITSTATUS(status), 0};
}

int spawn(pid_t& pid, const std::vector<std::string>& argv, int output) {
    std::vector<char*> arguments;
    for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigaddset(&set, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    const int failed = posix_spawnp(&pid, argv.front().c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

}  // namespace

Result<OutputChild> OutputChild::start(const std::vector<std::string>& argv) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(file_error(ErrorCode::io, "make a pipe for", argv[0], errno));
    Fd read_end(ends[0]);
    const Fd write_end(ends[1]);
    pid_t pid = 0;
    if (const int failed = spawn(pid, argv, write_end.get()); failed != 0) {
        const bool missing = failed == ENOENT;
        return fail(file_error(missing ? ErrorCode::input_missing : ErrorCode::io, "run", argv[0], failed));
    }
    return OutputChild(pid, std::move(read_end));
}

OutputChild::~OutputChild() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<ChildEnd> OutputChild::wait(const std::stop_token& stop) {
    constexpr int kSliceMs = 50;
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    for (int status = 0; !stop.stop_requested();) {
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = 0;
            return end_of(status);
        }
        pollfd entry{process.get(), POLLIN, 0};
        ::poll(&entry, 1, kSliceMs);
    }
    return std::nullopt;
}

void OutputChild::stop() {
    constexpr int kLooks = 50;
    constexpr timespec kBetween{0, 10'000'000};
    if (pid_ == 0) return;
    ::kill(pid_, SIGTERM);
    for (int look = 0; look < kLooks; ++look) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != 0) {
            pid_ = 0;
            return;
        }
        ::nanosleep(&kBetween, nullptr);
    }
}

}  // namespace azlock::os
