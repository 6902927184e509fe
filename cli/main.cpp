// azlock: starts the libraries, runs the command line, ends the process.
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "base/digest.hpp"
#include "cli/app.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"

int main(int argc, char** argv) {
    int code = azlock::cli::kExitBug;
    try {
        azlock::init_crypto();
        code = azlock::cli::run_app(azlock::cli::take_arguments(argc, argv));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "azlock: a bug in azlock: %s\n", e.what());
    }
    std::fflush(nullptr);
    // The HTTP library's threads may still run; its and OpenSSL's exit handlers would race with them.
    _exit(code);
}
