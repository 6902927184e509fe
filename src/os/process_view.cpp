#include "os/process_view.hpp"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/system_limit.hpp"

namespace azlock::os {
namespace {

constexpr std::string_view kPids = "\nNSpid:\t";  // one for each namespace, from that of /proc to our own
constexpr std::string_view kPid = "\nPid:\t";     // of kernels that have no namespaces
constexpr const char* kCannot = "azlock could not find the processes that the command starts, and so not end them: ";

std::string_view value_after(std::string_view status, std::string_view name) {
    const std::size_t at = status.find(name);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = status.substr(at + name.size());
    return rest.substr(0, rest.find('\n'));
}

Status check_pidfd() {
    const Fd self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    if (self && syscall(SYS_pidfd_send_signal, self.get(), 0, nullptr, 0) == 0) return {};
    const int error = errno;
    if (const auto limit = reached_limit(error)) return fail(limit_error(*limit));
    return fail(ErrorCode::config,
                "azlock cannot keep the command and its processes apart from others: the system call " +
                    std::string(self ? "pidfd_send_signal" : "pidfd_open") + " fails: " + errno_text(error),
                error == ENOSYS ? "azlock needs Linux 5.3, or a sandbox (seccomp) that knows this call"
                                : "allow this call in the sandbox (seccomp profile) around azlock");
}

}  // namespace

Status check_proc(std::string_view status, pid_t us) {
    if (status.empty()) {
        return fail(ErrorCode::config, std::string(kCannot) + "/proc is not mounted",
                    "mount it: mount -t proc proc /proc");
    }
    const std::string_view pids = value_after(status, kPids);
    if ((pids.empty() ? value_after(status, kPid) : pids) == std::to_string(us)) return {};
    return fail(ErrorCode::config, std::string(kCannot) + "/proc belongs to another PID namespace",
                "mount a /proc of this namespace, as 'unshare --mount-proc' does");
}

Status check_process_view() {
    const Fd file(open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (const auto limit = reached_limit(errno)) return fail(limit_error(*limit));
    }
    char text[4096];
    const ssize_t size = file ? read(file.get(), text, sizeof text) : 0;
    if (auto ok = check_proc({text, size > 0 ? static_cast<std::size_t>(size) : 0}, getpid()); !ok) return ok;
    return check_pidfd();
}

}  // namespace azlock::os
