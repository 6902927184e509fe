#include "os/shell.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/exec_words.hpp"

namespace azlock::os {

Result<int> run_shell(const std::string& text, const std::vector<std::string>& environment_changes) {
    const std::vector<std::string> entries = changed_environment(environment_changes);
    const std::vector<char*> environment = exec_pointers(entries);
    std::string copy = text;
    char shell[] = "sh";
    char flag[] = "-c";
    char* argv[] = {shell, flag, copy.data(), nullptr};

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, "/bin/sh", nullptr, &attributes, argv, environment.data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) return fail(ErrorCode::io, std::string("cannot start /bin/sh: ") + std::strerror(error));
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return fail(ErrorCode::io, std::string("cannot wait for /bin/sh: ") + std::strerror(errno));
    }
    return status;
}

}  // namespace azlock::os
