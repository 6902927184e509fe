// What a check of the doctor found, and its checks of the connection: name, TCP, TLS, the service that answers, its
// clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "azure/pipeline.hpp"
#include "http/transport_options.hpp"

namespace azlock::ops {

struct Check {
    enum class Outcome { ok, warning, failed, skipped };
    std::string name;
    Outcome outcome = Outcome::ok;
    std::string detail;
    std::optional<Error> error = {};
};

// Keeps what the first answer says about the service and its clock.
class FirstAnswer final : public azure::Observer {
  public:
    explicit FirstAnswer(const Clock& clock) : clock_(clock) {}
    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;

    [[nodiscard]] bool came() const { return status_ != 0; }
    // "HTTP 404 in 12 ms, Windows-Azure-Blob/1.0"
    [[nodiscard]] std::string describe() const;

    bool from_service = false;
    std::string api_version;  // in the service's answer; empty if it named none
    // How far this machine's clock was ahead of the service's; the error is at most half a second plus half of the
    // answer time.
    std::optional<std::chrono::milliseconds> clock_ahead;

  private:
    const Clock& clock_;
    int status_ = 0;
    std::string server_;
    std::chrono::nanoseconds took_{0};
};

// Checks name and connection: those of the proxy, if there is one. Appends "proxy", "resolve" and "connect". False: no
// connection, so further checks are useless.
[[nodiscard]] bool check_connection(const http::TransportOptions& options, const http::Origin& origin,
                                    const azure::Call& call, std::vector<Check>& checks);

// Appends "tls", "service", "clock" and "api_version", from the outcome of the first request. False: further checks are
// useless.
[[nodiscard]] bool check_answer(const FirstAnswer& answer, const std::optional<Error>& error,
                                const std::string& api_version, const http::Origin& origin, std::vector<Check>& checks);

}  // namespace azlock::ops
