#include "os/command_cgroup.hpp"

#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::os {
namespace {

constexpr std::string_view kPrefix = "azlock-";
constexpr std::size_t kMostText = 1024 * 1024;

std::string read_whole(const char* path) {
    const Fd fd(open(path, O_RDONLY | O_CLOEXEC));
    std::string out;
    char part[4096];
    for (ssize_t size = 0; fd && out.size() < kMostText && (size = read(fd.get(), part, sizeof part)) > 0;) {
        out.append(part, static_cast<std::size_t>(size));
    }
    return out;
}

std::string folder_of_this_process() {
    return own_cgroup(read_whole("/proc/self/cgroup"), read_whole("/proc/self/mountinfo"));
}

// Removes the group, and the groups of azlocks that were killed inside it. A group in which a process runs stays.
void remove_group(const std::string& path) {
    DIR* const dir = opendir(path.c_str());
    if (dir == nullptr) return;
    while (const dirent* entry = readdir(dir)) {
        const std::string_view name = entry->d_name;
        if (name.starts_with(kPrefix)) remove_group(path + "/" + std::string(name));
    }
    closedir(dir);
    rmdir(path.c_str());
}

// Removes the groups of azlocks that no longer exist. A killed guard cannot remove its own.
void remove_left_ones(const std::string& folder) {
    DIR* const dir = opendir(folder.c_str());
    if (dir == nullptr) return;
    while (const dirent* entry = readdir(dir)) {
        const std::string_view name = entry->d_name;
        if (!name.starts_with(kPrefix)) continue;
        const auto azlock = parse_u64(split(name.substr(kPrefix.size()), '-').front());
        const bool gone = azlock && ::kill(static_cast<pid_t>(*azlock), 0) != 0 && errno == ESRCH;
        if (gone) remove_group(folder + "/" + std::string(name));
    }
    closedir(dir);
}

}  // namespace

std::string own_cgroup(const std::string& cgroup, const std::string& mountinfo) {
    std::optional<std::string> path;
    for (const std::string_view line : split(cgroup, '\n')) {
        if (line.starts_with("0::/")) path = line.substr(3);
    }
    if (!path) return {};
    for (const std::string_view line : split(mountinfo, '\n')) {
        const std::size_t dash = line.find(" - cgroup2 ");
        const auto words = split(line, ' ');
        if (dash == std::string_view::npos || words.size() < 5) continue;
        std::string_view root = words[3];
        if (root == "/") root = {};
        if (!path->starts_with(root)) continue;
        std::string_view below = std::string_view(*path).substr(root.size());
        if (!below.empty() && below.front() != '/') continue;
        if (below == "/") below = {};
        return std::string(words[4]) + std::string(below);
    }
    return {};
}

CommandCgroup CommandCgroup::open_at(const std::string& path) {
    CommandCgroup out;
    out.entrance_ = Fd(open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    out.kill_ = Fd(open((path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.entrance_ || !out.kill_) return {};
    out.path_ = path;
    return out;
}

CommandCgroup CommandCgroup::make(const std::string& name) {
    const std::string folder = folder_of_this_process();
    if (folder.empty()) return {};
    remove_left_ones(folder);
    const std::string path = folder + "/" + name;
    if (mkdir(path.c_str(), 0755) != 0) return {};
    CommandCgroup out = open_at(path);
    if (!out) rmdir(path.c_str());
    return out;
}

CommandCgroup CommandCgroup::find(const std::string& name) {
    const std::string folder = folder_of_this_process();
    // Any other name could be that of a group which we share with others.
    if (folder.empty() || !name.starts_with(kPrefix)) return {};
    return open_at(folder + "/" + name);
}

void CommandCgroup::kill() const {
    if (kill_) (void)!write(kill_.get(), "1", 1);
}

void CommandCgroup::remove() {
    if (!path_.empty()) remove_group(path_);
    *this = {};
}

}  // namespace azlock::os
