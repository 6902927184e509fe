// What the parts of the fake blob service pass to each other: a request taken apart, a refusal, an answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "http/message.hpp"

namespace azlock::test::fake {

// Why the service does not do what it was asked. `detail_name` and `detail` become one more element of the error's XML.
struct Refusal {
    int status = 400;
    std::string code;
    std::string detail_name;
    std::string detail;
};
using Check = std::optional<Refusal>;  // nullopt: no objection

[[nodiscard]] Refusal refusal(int status, std::string code);
[[nodiscard]] Refusal bad_header(std::string_view name, std::string_view value);
[[nodiscard]] Refusal missing_header(std::string_view name);
[[nodiscard]] Refusal bad_query(std::string_view name, std::string_view value);

struct Reply {
    int status = 200;
    http::Headers headers;
    std::string body;
    std::optional<Refusal> refused;

    Reply() = default;
    explicit Reply(int code) : status(code) {}
    Reply(Refusal why) : status(why.status), refused(std::move(why)) {}  // NOLINT: so that handlers can return either
};

using Query = std::vector<std::pair<std::string, std::string>>;  // names in lower case, values decoded

// A request as a handler sees it.
struct Call {
    const http::Request* request = nullptr;
    std::string operation;  // as the REST reference calls it: "Put Block"
    std::string account;
    bool secondary = false;
    std::string container;
    std::string blob;
    Query query;
    std::string version;  // x-ms-version
    std::shared_ptr<const std::string> body;
    std::string fresh_id;  // a GUID that no other request has
    BootTime now;
    WallTime wall;

    // The first value of a parameter, or nullopt.
    [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
    [[nodiscard]] std::string_view header(std::string_view name) const { return request->headers.get(name); }
    [[nodiscard]] bool has(std::string_view name) const { return request->headers.has(name); }
};

// The operation's name in the REST reference ("Put Blob", "Lease Container"), or "" if this service does not have it.
[[nodiscard]] std::string_view operation_of(const http::Request& request);

// Query and secret_query together.
[[nodiscard]] Query query_of(const http::Request& request);

// localhost and literal addresses cannot carry the account in their first label.
[[nodiscard]] bool is_path_style(const std::string& host);

// Reads account, container and blob from host and path into `call`.
[[nodiscard]] Check read_address(const http::Request& request, Call& call);

[[nodiscard]] std::string xml_escape(std::string_view text);
[[nodiscard]] std::string quoted_etag(std::string_view etag);

// The answer with its status and every header, and with the error's XML if it is a refusal.
[[nodiscard]] http::Response render(const Call& call, Reply reply, const std::string& request_id);

// What send() returns for this answer. The body goes to the request's sink if the sink takes it.
[[nodiscard]] Result<http::Response> deliver(const http::Request& request, http::Response response);

}  // namespace azlock::test::fake
