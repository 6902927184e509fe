// Taking requests apart and putting answers together.
#include "support/fake_wire.hpp"

#include <algorithm>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::test::fake {
namespace {

// The service begins its XML with a byte order mark.
constexpr std::string_view kXmlHead = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>";

constexpr std::size_t kPiece = 64UL * 1024;

std::string error_xml(const Refusal& why, const std::string& request_id, WallTime wall) {
    std::string out(kXmlHead);
    out += "<Error><Code>" + why.code + "</Code><Message>The fake service refused this.\nRequestId:" + request_id +
           "\nTime:" + format_iso8601(wall) + "</Message>";
    if (!why.detail_name.empty()) {
        out += "<" + why.detail_name + ">" + xml_escape(why.detail) + "</" + why.detail_name + ">";
    }
    return out + "</Error>";
}

}  // namespace

Refusal refusal(int status, std::string code) {
    return {status, std::move(code), {}, {}};
}

Refusal bad_header(std::string_view name, std::string_view value) {
    return {400, "InvalidHeaderValue", "HeaderName", std::string(name) + " = " + std::string(value)};
}

Refusal missing_header(std::string_view name) {
    return {400, "MissingRequiredHeader", "HeaderName", std::string(name)};
}

Refusal bad_query(std::string_view name, std::string_view value) {
    return {400, "InvalidQueryParameterValue", "QueryParameterName", std::string(name) + " = " + std::string(value)};
}

std::optional<std::string> Call::parameter(std::string_view name) const {
    for (const auto& [key, value] : query) {
        if (key == name) return value;
    }
    return std::nullopt;
}

std::string xml_escape(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\r': out += "&#xD;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string quoted_etag(std::string_view etag) {
    return '"' + std::string(etag) + '"';
}

http::Response render(const Call& call, Reply reply, const std::string& request_id) {
    http::Response out;
    out.status = reply.status;
    out.headers = std::move(reply.headers);
    out.body = std::move(reply.body);
    if (reply.refused) {
        out.headers.set("x-ms-error-code", reply.refused->code);
        if (reply.status != 304) {
            out.headers.set("Content-Type", "application/xml");
            out.body = error_xml(*reply.refused, request_id, call.wall);
        }
    } else if (!out.body.empty() && out.body.starts_with("<?xml")) {
        out.body.replace(0, out.body.find("?>") + 2, kXmlHead);
    }
    const bool head = call.request->method == http::Method::head;
    if (head) out.body.clear();
    if (!(head && out.headers.has("Content-Length")) && reply.status != 304) {
        out.headers.set("Content-Length", std::to_string(out.body.size()));
    }
    out.headers.set("Server", "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0");
    out.headers.set("x-ms-request-id", request_id);
    out.headers.set("x-ms-version", call.version);
    if (call.has("x-ms-client-request-id") && call.version >= "2019-02-02") {
        out.headers.set("x-ms-client-request-id", std::string(call.header("x-ms-client-request-id")));
    }
    out.headers.set("Date", format_http_date(call.wall));
    return out;
}

Result<http::Response> deliver(const http::Request& request, http::Response response) {
    if (request.sink == nullptr) return response;
    std::string body = std::move(response.body);
    response.body.clear();
    if (!request.sink->begin(response)) {
        response.body = std::move(body);
        return response;
    }
    for (std::size_t at = 0; at < body.size(); at += kPiece) {
        const auto written = request.sink->write(as_bytes(std::string_view(body).substr(at, kPiece)));
        if (written) continue;
        Error error = written.error();
        error.fault = TransportFault::local_body;
        error.may_have_applied = true;
        return fail(std::move(error));
    }
    return response;
}

}  // namespace azlock::test::fake
