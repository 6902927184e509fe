#include "os/process_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <new>
#include <string>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/random.hpp"

namespace azlock::os {
namespace {

constexpr int kFreezePasses = 250;
constexpr int kEmptyPasses = 5;
constexpr int kWalks = 5;
constexpr int kDeepest = 10'000;
constexpr std::chrono::milliseconds kBetweenPasses{2};

void pause_between_passes() {
    std::this_thread::sleep_for(kBetweenPasses);
}

// The first bytes of a small file in /proc/PID; empty if it cannot be read.
std::string read_proc(pid_t pid, const char* file) {
    const Fd fd(open(("/proc/" + std::to_string(pid) + file).c_str(), O_RDONLY | O_CLOEXEC));
    char text[512];
    const ssize_t size = fd ? read(fd.get(), text, sizeof text) : 0;
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool is_stopped(char state) {
    return state == 'T' || state == 't';
}

enum class Sent { yes, gone, refused };

// Uses a pidfd, and signals only if the process is still the one that was seen: process ids are reused.
Sent send_to(const ProcessInfo& seen, pid_t root, int signal) {
    const Fd fd(static_cast<int>(syscall(SYS_pidfd_open, seen.pid, 0)));
    const auto now = fd ? find_process(seen.pid) : std::nullopt;
    if (!now || (now->parent != seen.parent && now->parent != root)) return Sent::gone;
    if (syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0) == 0) return Sent::yes;
    return errno == EPERM ? Sent::refused : Sent::gone;
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// Includes zombies: a process looks like one if its first thread has ended while others still run. Leaves out the
// processes `except` and their descendants.
std::vector<ProcessInfo> tree_of(pid_t root, const std::vector<pid_t>& except = {}) {
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
            if (contains(except, it->second->pid)) continue;
            todo.push_back(it->second->pid);
            out.push_back(*it->second);
        }
    }
    return out;
}

bool is_zombie(const ProcessInfo& info) {
    return info.state == 'Z' || info.state == 'X';
}

std::size_t signal_all(const std::vector<ProcessInfo>& tree, pid_t root, int signal, std::size_t* refused) {
    std::size_t running = 0;
    std::size_t not_ours = 0;
    for (const ProcessInfo& info : tree) {
        const Sent sent = send_to(info, root, signal);
        if (is_zombie(info)) continue;
        ++running;
        if (sent == Sent::refused) ++not_ours;
    }
    if (refused != nullptr) *refused = not_ours;
    return running;
}

}  // namespace

// The process name in /proc/PID/stat is in parentheses and may contain any character.
std::optional<ProcessInfo> find_process(pid_t pid) {
    const std::string text = read_proc(pid, "/stat");
    const std::size_t name_end = text.rfind(')');
    int parent = 0;
    char state = '?';
    if (name_end == std::string::npos || std::sscanf(text.c_str() + name_end + 1, " %c %d", &state, &parent) != 2) {
        return std::nullopt;
    }
    return ProcessInfo{pid, parent, state};
}

std::vector<ProcessInfo> all_processes() {
    std::vector<ProcessInfo> out;
    DIR* dir = opendir("/proc");
    if (dir == nullptr) return out;
    while (const dirent* entry = readdir(dir)) {
        const char* name = entry->d_name;
        int pid = 0;
        const auto parsed = std::from_chars(name, name + std::strlen(name), pid);
        if (parsed.ec != std::errc() || *parsed.ptr != '\0') continue;
        if (const auto info = find_process(pid)) out.push_back(*info);
    }
    closedir(dir);
    return out;
}

std::string new_own_name() {
    return "azlock-" + std::to_string(getpid()) + "-" + SystemRandom().uuid();
}

std::vector<ProcessInfo> descendants_of(pid_t root) {
    std::vector<ProcessInfo> out = tree_of(root);
    std::erase_if(out, is_zombie);
    return out;
}

bool descends_from(pid_t pid, pid_t root) {
    // If a process on the way ends meanwhile, its child has another parent: the way is walked again.
    for (int walk = 0; walk < kWalks; ++walk) {
        pid_t at = pid;
        for (int step = 0; step < kDeepest; ++step) {
            const auto info = at > 1 ? find_process(at) : std::nullopt;
            if (!info) break;
            if (info->parent == root) return true;
            at = info->parent;
        }
        if (at <= 1) return false;
    }
    return false;
}

std::string process_name(pid_t pid) {
    std::string name = read_proc(pid, "/comm");
    if (name.ends_with('\n')) name.pop_back();
    return name.empty() ? "?" : name;
}

std::size_t signal_descendants(pid_t root, int signal, std::size_t* refused) {
    return signal_all(tree_of(root), root, signal, refused);
}

std::vector<pid_t> children_of_ours() {
    std::vector<pid_t> out;
    for (const ProcessInfo& info : all_processes()) {
        if (info.parent == getpid()) out.push_back(info.pid);
    }
    return out;
}

void Freezer::freeze(pid_t root) {
    for (int pass = 0; pass < kFreezePasses; ++pass) {
        bool any = false;
        for (const ProcessInfo& info : tree_of(root)) {
            const bool known = contains(stopped_, info.pid);
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
        if (contains(stopped_, info.pid)) {
            (void)send_to(info, root, SIGCONT);
        }
    }
    stopped_.clear();
}

bool end_all_descendants(int seconds, const std::vector<pid_t>& others, WatchedEnd* watched) {
    int empty = 0;
    const Deadline give_up = SystemClock().after(std::chrono::seconds(seconds));
    for (;;) {
        std::size_t refused = 0;
        std::size_t found = 0;
        try {
            const auto tree = tree_of(getpid(), others);
            found = signal_all(tree, getpid(), SIGKILL, &refused);
            empty = tree.empty() ? empty + 1 : 0;
        } catch (const std::bad_alloc&) {
            // The next pass may find memory.
        }
        pid_t reaped = 0;
        do {
            int status = 0;
            reaped = waitpid(-1, &status, WNOHANG | __WALL);
            if (reaped > 0 && watched != nullptr && reaped == watched->pid) watched->status = status;
        } while (reaped > 0 && !contains(others, reaped));
        if (reaped < 0 && errno == ECHILD) return true;
        if (!others.empty() && empty >= kEmptyPasses) return true;
        if (SystemClock().now() > give_up || (found > 0 && refused == found)) return false;
        pause_between_passes();
    }
}

}  // namespace azlock::os
