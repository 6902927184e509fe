#include "ops/login/pipeline_assertion.hpp"

#include "azure/address.hpp"
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

Result<http::Request> request_to(const JobEndpoint& endpoint) {
    const std::string& name = endpoint.url_variable;
    const auto url = read_endpoint(endpoint.url, name);
    if (!url) return fail(url.error());
    if (!url->origin.tls && !azure::is_loopback(url->origin)) {
        return fail(ErrorCode::config, name + " must be https: a secret goes there");
    }
    http::Request out;
    out.origin = url->origin;
    out.path = url->path;
    if (!url->query.empty()) {
        for (const std::string_view pair : split(url->query, '&')) {
            const std::size_t equals = std::min(pair.find('='), pair.size());
            const auto key = percent_decode(pair.substr(0, equals));
            const auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())));
            if (!key || !value) return fail(ErrorCode::config, name + " is not a URL");
            out.query.emplace_back(*key, *value);
        }
    }
    auto ok = set_secret_header(out, "Authorization", "Bearer ", endpoint.bearer, endpoint.bearer_variable);
    if (!ok) return fail(ok.error());
    return out;
}

// Sends the request for each assertion, which is the text `field` of the answer.
Prove prove_by_request(TokenLine line, http::Request request, std::string title, std::string field,
                       std::string advice) {
    return [line = std::move(line), request = std::move(request), title = std::move(title), field = std::move(field),
            advice = std::move(advice)](Deadline deadline, const std::stop_token& stop) -> Result<Proof> {
        const auto answer = send_token_request(line, request, title, {}, deadline, stop);
        if (!answer) return fail(answer.error());
        if (answer->status != 200) {
            Error error = refusal_of(*answer, title, {});
            if (error.fault == TransportFault::none) error.hint = advice;
            return fail(std::move(error));
        }
        const auto texts = JsonTexts::read(answer->body);
        const std::string jwt = texts ? texts->get(field) : std::string();
        if (!read_claims(jwt)) {
            return fail(ErrorCode::auth, title + " gave no token: its answer has no JWT in '" + field + "'", advice);
        }
        return Proof{Proof::Kind::assertion, Secret(jwt)};
    };
}

}  // namespace

Result<Prove> prove_by_github(TokenLine line, const JobEndpoint& endpoint) {
    auto request = request_to(endpoint);
    if (!request) return fail(request.error());
    request->query.emplace_back("audience", "api://AzureADTokenExchange");
    return prove_by_request(std::move(line), std::move(*request), "GitHub", "value",
                            "the job needs 'permissions: id-token: write'");
}

Result<Prove> prove_by_azure_pipelines(TokenLine line, const JobEndpoint& endpoint, const std::string& connection) {
    auto request = request_to(endpoint);
    if (!request) return fail(request.error());
    request->method = http::Method::post;
    request->query.emplace_back("api-version", "7.1");
    request->query.emplace_back("serviceConnectionId", connection);
    request->headers.set("Content-Type", "application/json");
    request->headers.set("X-TFS-FedAuthRedirect", "Suppress");  // else a sign-in page instead of a refusal
    return prove_by_request(std::move(line), std::move(*request), "Azure Pipelines", "oidcToken",
                            "check SYSTEM_ACCESSTOKEN, and that the pipeline may use the service connection");
}

}  // namespace azlock::ops
