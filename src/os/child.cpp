#include "os/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_limit.hpp"
#include "base/text.hpp"
#include "os/core_limit.hpp"
#include "os/exit_status.hpp"
#include "os/launch.hpp"
#include "os/started.hpp"

namespace azlock::os {
namespace {

// `output`: the write end of a pipe, or -1. `all_default`: every signal gets its default action, not only those that
// azlock ignores.
int spawn(pid_t& pid, const std::string& program, const ChildOptions& options, int output, bool all_default = false) {
    const std::vector<char*> arguments = exec_pointers(options.argv);
    const std::vector<std::string> entries = changed_environment(options.environment_changes);
    const std::vector<char*> environment = exec_pointers(entries);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    sigaddset(&set, SIGTRAP);
    if (all_default) sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    const int group = options.own_group ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (options.input >= 0) posix_spawn_file_actions_adddup2(&actions, options.input, STDIN_FILENO);
    if (output < 0 && options.output_to_errors) output = STDERR_FILENO;
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (options.errors >= 0) posix_spawn_file_actions_adddup2(&actions, options.errors, STDERR_FILENO);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
    const CoreLimitForCommand limit;
    const int failed = posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

Error not_started(ErrorCode code, const char* action, const std::string& name, int errno_value) {
    Error error = file_error(code, action, name, errno_value);
    if (errno_value == EAGAIN) error.hint = limit_error(SystemLimit::threads).message;
    error.retryable = errno_value == EAGAIN || reached_limit(errno_value);
    return error;
}

// The wait status. nullopt: the deadline or a stop came first.
std::optional<int> wait_for(pid_t pid, Deadline deadline, const Clock& clock, const std::stop_token& stop) {
    constexpr int kSliceMs = 50;
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    for (int status = 0; !stop.stop_requested();) {
        if (::waitpid(pid, &status, WNOHANG) == pid) return status;
        if (clock.now() >= deadline) break;
        pollfd entry{process.get(), POLLIN, 0};
        ::poll(&entry, 1, kSliceMs);
    }
    return std::nullopt;
}

}  // namespace

Result<Child> Child::start(const ChildOptions& options) {
    const std::string& name = options.argv.front();
    Pipe pipe;
    if (options.capture_output) {
        pipe = make_pipe();
        if (!pipe.read_end) return fail(not_started(ErrorCode::io, "make a pipe for", name, errno));
    }
    pid_t pid = 0;
    if (const int failed = spawn(pid, name, options, pipe.write_end.get()); failed != 0) {
        const bool missing = failed == ENOENT;
        return fail(not_started(missing ? ErrorCode::input_missing : ErrorCode::io, "run", name, failed));
    }
    if (options.errors < 0) note_command_started();
    return Child(pid, options.own_group, std::move(pipe.read_end));
}

Child::~Child() {
    if (pid_ == 0) return;
    signal(SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<ChildEnd> Child::wait(const std::stop_token& stop) {
    return wait_until(kNoDeadline, SystemClock(), stop);
}

std::optional<ChildEnd> Child::wait_until(Deadline deadline, const Clock& clock, const std::stop_token& stop) {
    const auto status = wait_for(pid_, deadline, clock, stop);
    if (!status) return std::nullopt;
    pid_ = 0;
    return ChildEnd{exit_code_of(*status), WIFSIGNALED(*status) ? WTERMSIG(*status) : 0};
}

std::string describe_end(const ChildEnd& end, const std::string& name) {
    return "the command " + (name.empty() ? "" : in_quotes(name) + " ") +
           (end.signal != 0 ? "was killed by signal " + std::to_string(end.signal)
                            : "failed with exit code " + std::to_string(end.code));
}

void Child::signal(int number) const {
    if (pid_ != 0) ::kill(own_group_ ? -pid_ : pid_, number);
}

void Child::stop() {
    constexpr int kLooks = 50;
    constexpr timespec kBetween{0, 10'000'000};
    if (pid_ == 0) return;
    signal(SIGTERM);
    for (int look = 0; look < kLooks; ++look) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != 0) {
            pid_ = 0;
            return;
        }
        ::nanosleep(&kBetween, nullptr);
    }
}

Result<std::optional<int>> run_shell(const std::string& text, const std::vector<std::string>& environment_changes,
                                     const std::stop_token& stop) {
    pid_t pid = 0;
    const ChildOptions options{.argv = {"sh", "-c", text}, .environment_changes = environment_changes};
    const int failed = spawn(pid, "/bin/sh", options, -1, true);
    if (failed != 0) return fail(ErrorCode::io, std::string("cannot start /bin/sh: ") + std::strerror(failed));
    return wait_for(pid, kNoDeadline, SystemClock(), stop);
}

}  // namespace azlock::os
