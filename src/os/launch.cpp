#include "os/launch.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "os/core_limit.hpp"

namespace azlock::os {
namespace {

[[noreturn]] void fail_child(int pipe, bool at_exec) {
    const Launched failure{-1, errno, at_exec};
    (void)!write(pipe, &failure, sizeof failure);
    _exit(127);
}

[[noreturn]] void run_child(const Launch& what, char* const* argv, char* const* environment, pid_t guard, int pipe) {
    if (setpgid(0, 0) != 0) fail_child(pipe, false);
    if (what.cgroup >= 0) (void)!write(what.cgroup, "0", 1);  // if it fails, the command is ended without it
    if (what.terminal >= 0 && what.foreground) give_terminal(what.terminal, getpid());
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail_child(pipe, false);
    if (getppid() != guard) _exit(127);
    for (int stream = 0; stream < 3; ++stream) {
        const int fd = what.streams.fds[static_cast<std::size_t>(stream)];
        if (fd >= 0 && dup2(fd, stream) < 0) fail_child(pipe, false);
    }
    what.signals.restore();
    restore_core_limit();
    execvpe(argv[0], argv, environment);
    fail_child(pipe, true);
}

}  // namespace

std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& change) { return name_of(change) == name_of(*entry); };
        if (std::none_of(changes.begin(), changes.end(), same)) out.emplace_back(*entry);
    }
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(out),
                 [](const std::string& change) { return change.find('=') != std::string::npos; });
    return out;
}

std::vector<char*> exec_pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

const SignalState& SignalState::at_start() {
    static const SignalState state = save();
    return state;
}

SignalState SignalState::save() {
    SignalState out;
    sigprocmask(SIG_SETMASK, nullptr, &out.mask_);
    for (int number = 1; number < static_cast<int>(out.actions_.size()); ++number) {
        sigaction(number, nullptr, &out.actions_[static_cast<std::size_t>(number)]);
    }
    return out;
}

void SignalState::restore() const {
    for (int number = 1; number < static_cast<int>(actions_.size()); ++number) {
        if (number == SIGKILL || number == SIGSTOP) continue;
        sigaction(number, &actions_[static_cast<std::size_t>(number)], nullptr);
    }
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

Launched launch(const Launch& what) {
    Pipe pipe = make_pipe();
    if (!pipe.read_end) return {-1, errno, false};
    const std::vector<std::string> entries = changed_environment(what.environment_changes);
    const std::vector<char*> environment = exec_pointers(entries);
    const std::vector<char*> argv = exec_pointers(what.argv);
    const pid_t guard = getpid();
    const pid_t child = fork();
    if (child < 0) return {-1, errno, false};
    if (child == 0) run_child(what, argv.data(), environment.data(), guard, pipe.write_end.get());
    pipe.write_end.reset();
    setpgid(child, child);  // the child does this too; either may be first
    if (what.terminal >= 0 && what.foreground) give_terminal(what.terminal, child);
    Launched failure;
    ssize_t size = 0;
    do size = read(pipe.read_end.get(), &failure, sizeof failure);
    while (size < 0 && errno == EINTR);
    if (size != static_cast<ssize_t>(sizeof failure)) return {child, 0, false};
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return failure;
}

void give_terminal(int terminal, pid_t group) {
    sigset_t set;
    sigset_t previous;
    sigemptyset(&set);
    sigaddset(&set, SIGTTOU);
    sigprocmask(SIG_BLOCK, &set, &previous);
    tcsetpgrp(terminal, group);
    sigprocmask(SIG_SETMASK, &previous, nullptr);
}

}  // namespace azlock::os
