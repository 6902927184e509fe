// The doctor's look at the line: name, connection, TLS, what answers, and its clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "azure/pipeline.hpp"
#include "cli/commands/doctor/doctor.hpp"

namespace azlock::cli {

// Keeps what the first answer says of the service and its clock.
class FirstAnswer final : public azure::Observer {
  public:
    explicit FirstAnswer(const Clock& clock) : clock_(clock) {}
    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;

    [[nodiscard]] bool came() const { return status_ != 0; }
    [[nodiscard]] bool from_service() const { return from_service_; }
    // "HTTP 404 in 12 ms, Windows-Azure-Blob/1.0"
    [[nodiscard]] std::string describe() const;
    // The version that the service answered with; empty where it told none.
    [[nodiscard]] const std::string& api_version() const { return api_version_; }
    // How far this machine's clock was ahead of the service's, good to half a second and half the time of the answer.
    [[nodiscard]] std::optional<std::chrono::milliseconds> clock_ahead() const { return ahead_; }

  private:
    const Clock& clock_;
    int status_ = 0;
    bool from_service_ = false;
    std::string api_version_;
    std::string server_;
    std::chrono::nanoseconds took_{0};
    std::optional<std::chrono::milliseconds> ahead_;
};

// Name and connection, tried by themselves: to the proxy where there is one. Appends "proxy", "resolve", "connect".
[[nodiscard]] bool check_connection(const Settings& settings, const http::Origin& origin, const azure::Call& call,
                                    std::vector<Check>& checks);

// "tls", "service", "api_version", "clock", out of what became of the first request.
[[nodiscard]] bool check_answer(const FirstAnswer& answer, const std::optional<Error>& error, const Settings& settings,
                                const http::Origin& origin, std::vector<Check>& checks);

}  // namespace azlock::cli
