// Runs a command and writes what it used to a file, as JSON: CPU and wall seconds, largest resident size, exit code.
// A program of its own because a process starts with its parent's peak memory, and this parent is small.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || std::strcmp(argv[2], "--") != 0) {
        std::fputs("Usage: bench_meter RESULT_FILE -- COMMAND [ARGUMENT]...\n", stderr);
        return 64;
    }
    const auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    if (const int error = ::posix_spawnp(&child, argv[3], nullptr, nullptr, argv + 3, environ); error != 0) {
        std::fprintf(stderr, "bench_meter: cannot run '%s': %s\n", argv[3], std::strerror(error));
        return 127;
    }
    int status = 0;
    rusage usage{};
    while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::FILE* out = std::fopen(argv[1], "w");
    if (out == nullptr) {
        std::fprintf(stderr, "bench_meter: cannot write '%s'\n", argv[1]);
        return 74;
    }
    std::fprintf(out, "{\"cpu_seconds\": %.3f, \"wall_seconds\": %.4f, \"max_rss_bytes\": %ld, \"exit_code\": %d}\n",
                 seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(), usage.ru_maxrss * 1024, code);
    return std::fclose(out) == 0 ? 0 : 74;
}
