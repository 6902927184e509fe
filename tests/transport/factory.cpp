// Which transport the contract tests are run on.
#include <cstdlib>

#include "base/digest.hpp"
#include "transport/contract.hpp"

namespace azlock::test {

Result<std::unique_ptr<http::Transport>> make_transport(const http::TransportOptions& options) {
    // As main() does: without it OpenSSL's exit handler races with the library's threads.
    init_crypto();
    http::TransportOptions chosen = options;
    // The whole suite is run in both ways.
    if (std::getenv("AZLOCK_TEST_WITHOUT_DIRECT") != nullptr) chosen.direct = false;
    return http::make_cpprest_transport(chosen);
}

}  // namespace azlock::test
