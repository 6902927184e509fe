// Builds, signs and sends blob requests without the client under test.
#include "support/raw_request.hpp"

#include <stdexcept>

#include "support/fake_auth.hpp"

namespace azlock::test {

RawClient::RawClient(http::Transport& transport, const Clock& clock, Endpoint endpoint)
    : transport_(transport), clock_(clock), endpoint_(std::move(endpoint)) {}

http::Request RawClient::make(http::Method method, const Ask& ask) const {
    http::Request out;
    out.method = method;
    out.origin = endpoint_.origin;
    out.path = endpoint_.base_path + "/" + ask.path;
    out.query = ask.query;
    out.headers.set("x-ms-version", "2023-11-03");
    for (const auto& [name, value] : ask.headers) out.headers.set(name, value);
    if (out.headers.get("x-ms-version").empty()) out.headers.remove("x-ms-version");
    if (!ask.body.empty()) out.body = http::make_body(ask.body);
    fake::sign(out, endpoint_.account, endpoint_.key, clock_.wall());
    return out;
}

http::Response RawClient::send(const http::Request& request) const {
    auto answer = transport_.send(request, clock_.after(std::chrono::seconds(60)), {});
    if (!answer) throw std::runtime_error("no answer: " + answer.error().message);
    return std::move(*answer);
}

std::string outcome(const http::Response& response) {
    return std::to_string(response.status) + " " + std::string(response.headers.get("x-ms-error-code"));
}

}  // namespace azlock::test
