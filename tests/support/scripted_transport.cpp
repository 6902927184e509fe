#include "support/scripted_transport.hpp"

#include <stdexcept>

namespace azlock::test {

void ScriptedTransport::answer(http::Response response) {
    play([response = std::move(response)](const http::Request& request, std::stop_token) -> Result<http::Response> {
        http::Response out = response;
        if (request.sink == nullptr || !request.sink->begin(out)) return out;
        if (auto taken = request.sink->write(as_bytes(out.body)); !taken) {
            Error error = taken.error();
            error.fault = TransportFault::local_body;
            return azlock::fail(std::move(error));
        }
        out.body.clear();
        return out;
    });
}

void ScriptedTransport::fail(TransportFault fault, bool may_have_applied) {
    play([=](const http::Request&, std::stop_token) -> Result<http::Response> {
        Error error = make_error(ErrorCode::unavailable, "no answer");
        error.fault = fault;
        error.may_have_applied = may_have_applied;
        return azlock::fail(std::move(error));
    });
}

Result<http::Response> ScriptedTransport::send(const http::Request& request, Deadline deadline, std::stop_token stop) {
    requests.push_back(request);
    deadlines.push_back(deadline);
    if (script_.empty()) throw std::logic_error("a request that the script does not know");
    const Play next = std::move(script_.front());
    script_.pop_front();
    return next(request, std::move(stop));
}

http::Response service_answer(int status, const std::string& code,
                              const std::vector<std::pair<std::string, std::string>>& headers) {
    http::Response out;
    out.status = status;
    out.headers.set("x-ms-request-id", "req");
    out.headers.set("x-ms-version", "2023-11-03");
    if (!code.empty()) out.headers.set("x-ms-error-code", code);
    for (const auto& [name, value] : headers) out.headers.set(name, value);
    return out;
}

http::Response foreign_answer(int status) {
    http::Response out;
    out.status = status;
    out.headers.set("Content-Type", "text/html");
    out.body = "<html>sign in</html>";
    return out;
}

}  // namespace azlock::test
