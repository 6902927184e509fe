#include "base/system_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <new>
#include <system_error>

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/quantity.hpp"

namespace azlock {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::size_t kStack = 512 * 1024;
// For one transfer: a connection, the wake-up of its wait, a source.
constexpr std::uint64_t kFilesEach = 3;
constexpr std::uint64_t kFilesBeside = 10;
constexpr std::uint64_t kMemoryEach = 3 * kMiB;
constexpr std::uint64_t kMemoryBeside = 48 * kMiB;

struct Words {
    int resource;
    const char* what;
    const char* flag;
    const char* machine;  // what may be at its limit if the process has none
};

Words words_for(SystemLimit limit) {
    switch (limit) {
        case SystemLimit::memory: return {RLIMIT_AS, "memory", "-v", "the machine or its container has no memory left"};
        case SystemLimit::threads: return {RLIMIT_NPROC, "threads", "-u", "pids.max of its container, or TasksMax="};
        case SystemLimit::open_files: return {RLIMIT_NOFILE, "open files", "-n", "the machine has too many open files"};
        case SystemLimit::file_size: break;
    }
    return {RLIMIT_FSIZE, "space in one file", "-f", "the file system takes no larger file"};
}

std::optional<std::uint64_t> soft_limit(int resource) {
    rlimit found{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &found) != 0 || found.rlim_cur == RLIM_INFINITY) {
        return std::nullopt;
    }
    return found.rlim_cur;
}

// As the shell's ulimit counts.
std::string value_of(SystemLimit limit, std::uint64_t value) {
    const bool bytes = limit == SystemLimit::memory || limit == SystemLimit::file_size;
    return bytes ? format_bytes(value) : std::to_string(value);
}

std::uint64_t open_files() {
    std::uint64_t count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr) return 16;
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count - 3;  // ".", ".." and the folder itself
}

std::uint64_t address_space() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t room(std::uint64_t limit, std::uint64_t used, std::uint64_t each) {
    return limit > used ? (limit - used) / each : 0;
}

// The system says in the same way that there are too many threads and that there is no memory for one.
bool no_stack_fits() {
    const auto memory = soft_limit(RLIMIT_AS);
    return memory && room(*memory, address_space(), kMemoryEach) == 0;
}

}  // namespace

bool is_memory_limited() {
    return soft_limit(RLIMIT_AS).has_value();
}

Error limit_error(SystemLimit limit) {
    const Words words = words_for(limit);
    const auto value = soft_limit(words.resource);
    const std::string flag = std::string("ulimit ") + words.flag;
    Error error = make_error(ErrorCode::io, std::string("the system gives azlock no more ") + words.what);
    error.message += value ? " (" + flag + " is " + value_of(limit, *value) + ")"
                           : " (" + flag + " is unlimited: " + words.machine + ")";
    error.hint = "raise the limit";
    return error;
}

std::optional<Error> limit_error(const std::exception& exception) {
    if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return limit_error(SystemLimit::memory);
    const auto* system = dynamic_cast<const std::system_error*>(&exception);
    if (system == nullptr) return std::nullopt;
    if (system->code() == std::errc::resource_unavailable_try_again) {
        return limit_error(no_stack_fits() ? SystemLimit::memory : SystemLimit::threads);
    }
    const auto limit = reached_limit(system->code().value());
    return limit ? std::optional(limit_error(*limit)) : std::nullopt;
}

std::optional<SystemLimit> reached_limit(int errno_value) {
    if (errno_value == EMFILE || errno_value == ENFILE) return SystemLimit::open_files;
    if (errno_value == ENOMEM || errno_value == ENOBUFS) return SystemLimit::memory;
    if (errno_value == EFBIG) return SystemLimit::file_size;
    return std::nullopt;
}

std::size_t affordable(std::size_t wanted) {
    std::uint64_t most = wanted;
    if (const auto files = soft_limit(RLIMIT_NOFILE)) {
        most = std::min(most, room(*files, open_files() + kFilesBeside, kFilesEach));
    }
    if (const auto memory = soft_limit(RLIMIT_AS)) {
        most = std::min(most, room(*memory, address_space() + kMemoryBeside, kMemoryEach + kStack));
    }
    return static_cast<std::size_t>(std::max<std::uint64_t>(most, 1));
}

void spare_address_space() {
    if (!soft_limit(RLIMIT_AS)) return;
    ::mallopt(M_ARENA_MAX, 1);  // each further arena would reserve 64 MiB
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) != 0) return;
    if (::pthread_attr_setstacksize(&attributes, kStack) == 0) ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
}

}  // namespace azlock
