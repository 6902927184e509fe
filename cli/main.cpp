// azlock: starts the libraries, runs the command line, ends the process.
#include <cstdio>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/system_limit.hpp"
#include "cli/app.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/arguments.hpp"
#include "cli/program/confirm.hpp"
#include "http/cpprest_transport.hpp"
#include "os/core_limit.hpp"
#include "os/signals.hpp"

namespace {

// If our parent closed a standard stream, the next file or socket that we open would take its number and get our
// output. So azlock opens /dev/null there in the wrong direction: each read or write of it fails. A command that we run
// finds the stream closed, as we did.
void hold_closed_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int code = azlock::cli::kExitBug;
    hold_closed_streams();
    azlock::os::write_no_core_files();
    azlock::os::outlive_limits();
    azlock::spare_address_space();
    try {
        azlock::init_crypto();
        azlock::SystemClock clock;
        azlock::SystemRandom random;
        auto arguments = azlock::cli::take_arguments(argc, argv);
        azlock::cli::tell_limits_of_other_threads(arguments);
        code = azlock::cli::run_app(
            {clock, random, azlock::http::make_cpprest_transport, azlock::cli::terminal_asker(clock)},
            std::move(arguments));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "azlock: a bug in azlock: %s\n", e.what());
    }
    std::fflush(nullptr);
    // The HTTP library's threads may still run; exit handlers of that library and of OpenSSL would race with them.
    _exit(code);
}
