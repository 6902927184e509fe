// A small HTTP proxy: absolute-form requests and CONNECT tunnels, with Basic authentication.
#pragma once

#include <mutex>
#include <string>

#include "support/wire_server.hpp"

namespace azlock::test {

class TinyProxy {
  public:
    // Requires `user_and_password` ("user:password") if it is not empty.
    explicit TinyProxy(std::string user_and_password = {});

    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    [[nodiscard]] int connections() const { return server_.connections(); }
    // `what`: "forwarded", "tunnel" or "refused".
    [[nodiscard]] int counted(const std::string& what) { return server_.counted(what); }
    // "host:port" of the last tunnel.
    [[nodiscard]] std::string last_target();

  private:
    void serve(Wire& wire);
    void forward(Wire& wire, const WireRequest& request);

    std::string authorization_;
    std::mutex mutex_;
    std::string last_target_;
    WireServer server_;
};

}  // namespace azlock::test
