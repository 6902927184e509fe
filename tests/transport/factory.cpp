// The transport that the contract tests run on.
#include <cstdlib>

#include "base/digest.hpp"
#include "transport/contract.hpp"

namespace azlock::test {

Result<std::unique_ptr<http::Transport>> make_transport(const http::TransportOptions& options) {
    // main() does the same: without it OpenSSL's exit handler races with the library's threads.
    init_crypto();
    http::TransportOptions chosen = options;
    // ctest runs the whole suite in both ways.
    if (std::getenv("AZLOCK_TEST_WITHOUT_DIRECT") != nullptr) chosen.direct = false;
    return http::make_cpprest_transport(chosen);
}

}  // namespace azlock::test
