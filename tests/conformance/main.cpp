// Runs the conformance cases on the service that AZLOCK_CONFORMANCE_TARGET names (fake, azurite, account; default
// fake).
#define CATCH_CONFIG_RUNNER
#include <cstdlib>
#include <exception>
#include <iostream>

#include "base/digest.hpp"
#include "support/catch.hpp"
#include "target.hpp"

int main(int argc, char** argv) {
    azlock::init_crypto();
    const char* name = std::getenv("AZLOCK_CONFORMANCE_TARGET");
    try {
        const auto target = azlock::conformance::make_target(name != nullptr ? name : "fake");
        azlock::conformance::set_target(target.get());
        return Catch::Session().run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "conformance_tests: " << error.what() << '\n';
        return 1;
    }
}
