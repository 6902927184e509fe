#include "os/process_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace azlock::os {
namespace {

constexpr int kFreezePasses = 250;
constexpr long kPassNanoseconds = 2'000'000;

void pause_between_passes() {
    const timespec span{0, kPassNanoseconds};
    nanosleep(&span, nullptr);
}

// Reads /proc/PID/stat. The process name in it is in parentheses and may contain any character.
bool read_stat(pid_t pid, ProcessInfo& out) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char text[512];
    const ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    const char* name_end = std::strrchr(text, ')');
    int parent = 0;
    char state = '?';
    if (name_end == nullptr || std::sscanf(name_end + 1, " %c %d", &state, &parent) != 2) return false;
    out = {pid, parent, state};
    return true;
}

bool is_stopped(char state) {
    return state == 'T' || state == 't';
}

enum class Sent { yes, gone, refused };

// Uses a pidfd, and signals only if the process is still the one that was seen: process ids are reused.
Sent send_to(const ProcessInfo& seen, pid_t root, int signal) {
    const long fd = syscall(SYS_pidfd_open, seen.pid, 0);
    if (fd < 0) return Sent::gone;
    ProcessInfo now;
    Sent result = Sent::gone;
    if (read_stat(seen.pid, now) && (now.parent == seen.parent || now.parent == root)) {
        const long sent = syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
        result = sent == 0 ? Sent::yes : (errno == EPERM ? Sent::refused : Sent::gone);
    }
    close(static_cast<int>(fd));
    return result;
}

}  // namespace

std::vector<ProcessInfo> all_processes() {
    std::vector<ProcessInfo> out;
    DIR* dir = opendir("/proc");
    if (dir == nullptr) return out;
    while (const dirent* entry = readdir(dir)) {
        const char* name = entry->d_name;
        int pid = 0;
        const auto parsed = std::from_chars(name, name + std::strlen(name), pid);
        if (parsed.ec != std::errc() || *parsed.ptr != '\0') continue;
        ProcessInfo info;
        if (read_stat(pid, info)) out.push_back(info);
    }
    closedir(dir);
    return out;
}

namespace {

// Includes zombies: a process looks like one if its first thread has ended while others still run.
std::vector<ProcessInfo> tree_of(pid_t root) {
    const std::vector<ProcessInfo> all = all_processes();
    std::unordered_multimap<pid_t, const ProcessInfo*> children;
    children.reserve(all.size());
    for (const ProcessInfo& info : all) children.emplace(info.parent, &info);
    std::vector<pid_t> todo{root};
    std::vector<ProcessInfo> out;
    while (!todo.empty()) {
        const pid_t parent = todo.back();
        todo.pop_back();
        const auto [first, last] = children.equal_range(parent);
        for (auto it = first; it != last; ++it) {
            todo.push_back(it->second->pid);
            out.push_back(*it->second);
        }
    }
    return out;
}

bool is_zombie(const ProcessInfo& info) {
    return info.state == 'Z' || info.state == 'X';
}

}  // namespace

std::vector<ProcessInfo> descendants_of(pid_t root) {
    std::vector<ProcessInfo> out = tree_of(root);
    out.erase(std::remove_if(out.begin(), out.end(), is_zombie), out.end());
    return out;
}

std::string process_name(pid_t pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/comm", static_cast<int>(pid));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return "?";
    char text[64];
    const ssize_t size = read(fd, text, sizeof text);
    close(fd);
    std::string name(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (!name.empty() && name.back() == '\n') name.pop_back();
    return name.empty() ? "?" : name;
}

std::size_t signal_descendants(pid_t root, int signal, std::size_t* refused) {
    std::size_t running = 0;
    std::size_t not_ours = 0;
    for (const ProcessInfo& info : tree_of(root)) {
        const Sent sent = send_to(info, root, signal);
        if (is_zombie(info)) continue;
        ++running;
        if (sent == Sent::refused) ++not_ours;
    }
    if (refused != nullptr) *refused = not_ours;
    return running;
}

void Freezer::freeze(pid_t root) {
    frozen_ = true;
    for (int pass = 0; pass < kFreezePasses; ++pass) {
        bool any = false;
        for (const ProcessInfo& info : tree_of(root)) {
            const bool known = std::find(stopped_.begin(), stopped_.end(), info.pid) != stopped_.end();
            // A process in state D waits in the kernel (for a disk, or for its vfork child). It stops before it runs
            // again.
            if (is_stopped(info.state) || (known && info.state == 'D') || (is_zombie(info) && pass > 0)) continue;
            if (send_to(info, root, SIGSTOP) != Sent::yes) continue;
            any = any || !is_zombie(info);
            if (!known) stopped_.push_back(info.pid);
        }
        if (!any) return;
        pause_between_passes();
    }
}

void Freezer::thaw(pid_t root) {
    for (const ProcessInfo& info : descendants_of(root)) {
        if (std::find(stopped_.begin(), stopped_.end(), info.pid) != stopped_.end()) {
            (void)send_to(info, root, SIGCONT);
        }
    }
    stopped_.clear();
    frozen_ = false;
}

bool end_all_descendants(int seconds) {
    timespec start{};
    clock_gettime(CLOCK_BOOTTIME, &start);
    for (;;) {
        std::size_t refused = 0;
        const std::size_t found = signal_descendants(getpid(), SIGKILL, &refused);
        pid_t reaped = 0;
        do reaped = waitpid(-1, nullptr, WNOHANG | __WALL);
        while (reaped > 0);
        if (reaped < 0 && errno == ECHILD) return true;
        timespec now{};
        clock_gettime(CLOCK_BOOTTIME, &now);
        if (now.tv_sec - start.tv_sec > seconds || (found > 0 && refused == found)) return false;
        pause_between_passes();
    }
}

}  // namespace azlock::os
