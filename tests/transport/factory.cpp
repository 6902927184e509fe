// Which transport the contract tests are run on.
#include "base/digest.hpp"
#include "transport/contract.hpp"

namespace azlock::test {

Result<std::unique_ptr<http::Transport>> make_transport(const http::TransportOptions& options) {
    // As main() does: without it OpenSSL's exit handler races with the library's threads.
    init_crypto();
    return http::make_cpprest_transport(options);
}

}  // namespace azlock::test
