#include "ops/doctor/check_connection.hpp"

#include <array>
#include <memory>
#include <mutex>

#include <netdb.h>

#include "azure/service_error.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "http/dial.hpp"
#include "http/proxy.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = Check::Outcome;

// Shared with the thread that looks up the name; that thread may run longer than we wait.
struct Found {
    std::mutex mutex;
    std::string addresses;  // "10.0.0.1, 10.0.0.2"
};

std::string text_of(const http::SocketAddress& address) {
    std::array<char, NI_MAXHOST> host{};
    const auto* raw = reinterpret_cast<const sockaddr*>(&address.storage);
    if (getnameinfo(raw, address.size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
    return host.data();
}

// Always false: further checks are useless.
bool failed(std::vector<Check>& checks, const char* name, const Error& error) {
    checks.push_back({name, Outcome::failed, error.message, error});
    return false;
}

Check skew_check(milliseconds ahead) {
    // The service gives its time in whole seconds. It refuses signatures that are 15 minutes off.
    constexpr seconds kUnseen{2};
    constexpr seconds kSuspicious{60};
    constexpr seconds kRefused{15 * 60};
    const milliseconds size = ahead < ahead.zero() ? -ahead : ahead;
    const std::string text = size < kUnseen ? "the same as the service's, as far as can be seen"
                                            : format_duration(std::chrono::round<seconds>(size)) +
                                                  (ahead > ahead.zero() ? " ahead of" : " behind") + " the service's";
    if (size < kSuspicious) return {"clock", Outcome::ok, text};
    Error error = make_error(ErrorCode::auth, "this machine's clock is " + text, "set the clock");
    return {"clock", size < kRefused ? Outcome::warning : Outcome::failed, text, std::move(error)};
}

}  // namespace

void FirstAnswer::answered(const azure::Operation& /*op*/, const http::Response& answer,
                           std::chrono::nanoseconds took) {
    if (came()) return;
    status_ = answer.status;
    from_service = azure::is_from_service(answer);
    api_version = printable(answer.headers.get("x-ms-version"));
    server_ = printable(answer.headers.get("Server"));
    took_ = took;
    if (const auto date = parse_http_date(answer.headers.get("Date")); date && from_service) {
        clock_ahead = std::chrono::round<milliseconds>(clock_.wall() - took / 2 - (*date + milliseconds(500)));
    }
}

std::string FirstAnswer::describe() const {
    return "HTTP " + std::to_string(status_) + " in " + format_duration(std::chrono::round<milliseconds>(took_)) +
           (server_.empty() ? "" : ", " + server_);
}

bool check_connection(const http::TransportOptions& options, const http::Origin& origin, const azure::Call& call,
                      std::vector<Check>& checks) {
    const auto rules = http::ProxyRules::make(options.proxies);
    if (!rules) return failed(checks, "proxy", rules.error());
    const http::Proxy* proxy = rules->find(origin);
    checks.push_back({"proxy", Outcome::ok, proxy == nullptr ? "none" : proxy->to_string()});
    const std::string& host = proxy == nullptr ? origin.host : proxy->host;
    const std::uint16_t port = proxy == nullptr ? origin.port : proxy->port;

    const auto found = std::make_shared<Found>();
    const auto resolver = [found](const std::string& name, std::uint16_t to) {
        auto addresses = http::resolve_with_system(name, to);
        if (addresses) {
            const std::lock_guard lock(found->mutex);
            for (const auto& address : *addresses) {
                found->addresses += (found->addresses.empty() ? "" : ", ") + text_of(address);
            }
        }
        return addresses;
    };
    const auto socket = http::dial(host, port, resolver, call.deadline, call.stop);
    const std::lock_guard lock(found->mutex);
    const bool literal = http::is_ip_address(host);
    if (!socket && !literal && found->addresses.empty()) return failed(checks, "resolve", socket.error());
    checks.push_back(
        {"resolve", Outcome::ok, printable(host) + (literal ? " is an address" : ": " + found->addresses)});
    if (!socket) return failed(checks, "connect", socket.error());
    checks.push_back({"connect", Outcome::ok, http::host_and_port(host, port)});
    return true;
}

bool check_answer(const FirstAnswer& answer, const std::optional<Error>& error, const std::string& api_version,
                  const http::Origin& origin, std::vector<Check>& checks) {
    if (!origin.tls) {
        checks.push_back({"tls", Outcome::ok, "none: the endpoint is plain http"});
    } else if (error && error->fault == TransportFault::tls) {
        return failed(checks, "tls", *error);
    } else if (answer.came()) {
        checks.push_back({"tls", Outcome::ok, "the certificate is good for " + printable(origin.host)});
    }
    if (!answer.came() || !answer.from_service) {
        const Error silent = make_error(ErrorCode::unavailable, "no answer came from Blob Storage");
        return failed(checks, "service", error.value_or(silent));
    }
    checks.push_back({"service", Outcome::ok, answer.describe()});
    if (answer.clock_ahead) checks.push_back(skew_check(*answer.clock_ahead));
    const bool refused = error && error->code == ErrorCode::usage;
    if (refused) {
        checks.push_back({"api_version", Outcome::failed, api_version + ": " + error->message, error});
        return false;
    }
    const bool other = !answer.api_version.empty() && answer.api_version != api_version;
    checks.push_back(
        {"api_version", Outcome::ok, api_version + (other ? "; the service answers with " + answer.api_version : "")});
    return true;
}

}  // namespace azlock::ops
