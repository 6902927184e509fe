// azure/service_error: what every refusal means, and what an answer means that is not from the service.
#include "azure/service_error.hpp"
#include "base/http_date.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

const WallTime kNow = *parse_http_date("Fri, 26 Jun 2015 23:39:12 GMT");

http::Response from_service(int status, const std::string& code = {}, std::string body = {}) {
    http::Response out;
    out.status = status;
    out.headers.set("x-ms-request-id", "req-1");
    if (!code.empty()) out.headers.set("x-ms-error-code", code);
    out.body = std::move(body);
    return out;
}

http::Response from_elsewhere(int status, std::string body = "<html>sign in</html>") {
    http::Response out;
    out.status = status;
    out.headers.set("Content-Type", "text/html");
    out.body = std::move(body);
    return out;
}

Operation a_write() {
    Operation op;
    op.name = "Put Blob";
    op.request.method = http::Method::put;
    op.request.headers.set("x-ms-client-request-id", "client-1");
    op.request.headers.set("Authorization", "SharedKey acct:MARKER");
    op.expected = 201;
    op.target = "box/b";
    return op;
}

Error error_of(const http::Response& response, const Operation& op = a_write()) {
    return to_error(op, response, kNow);
}

std::string xml(const std::string& inner) {
    return "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><Error>" + inner + "</Error>";
}

}  // namespace

TEST_CASE("the service's codes and what they mean") {
    struct Case {
        int status;
        const char* code;
        ErrorCode means;
        bool transient = false;
    };
    for (const Case& c : {
             Case{304, "ConditionNotMet", ErrorCode::not_modified},
             Case{400, "InvalidHeaderValue", ErrorCode::usage},
             Case{400, "InvalidBlockList", ErrorCode::precondition},
             Case{400, "InvalidBlobOrBlock", ErrorCode::precondition},
             Case{400, "Md5Mismatch", ErrorCode::data},
             Case{400, "Crc64Mismatch", ErrorCode::data},
             Case{400, "OutOfRangeInput", ErrorCode::usage},
             Case{400, "MultipleConditionHeadersNotSupported", ErrorCode::usage},
             Case{400, "UnsatisfiableCondition", ErrorCode::usage},
             Case{400, "InvalidAuthenticationInfo", ErrorCode::auth},
             Case{401, "NoAuthenticationInformation", ErrorCode::auth},
             Case{403, "AuthenticationFailed", ErrorCode::auth},
             Case{403, "AuthorizationFailure", ErrorCode::auth},
             Case{403, "AuthorizationPermissionMismatch", ErrorCode::auth},
             Case{403, "AuthorizationSourceIPMismatch", ErrorCode::auth},
             Case{403, "InsufficientAccountPermissions", ErrorCode::auth},
             Case{403, "AccountIsDisabled", ErrorCode::auth},
             Case{404, "BlobNotFound", ErrorCode::not_found},
             Case{404, "ContainerNotFound", ErrorCode::not_found},
             Case{404, "ResourceNotFound", ErrorCode::not_found},
             Case{404, "", ErrorCode::not_found},
             Case{408, "", ErrorCode::unavailable, true},
             Case{409, "BlobAlreadyExists", ErrorCode::precondition},
             Case{409, "ContainerAlreadyExists", ErrorCode::precondition},
             Case{409, "ContainerBeingDeleted", ErrorCode::unavailable},
             Case{409, "InvalidBlobType", ErrorCode::precondition},
             Case{409, "BlobIsSealed", ErrorCode::precondition},
             Case{409, "SnapshotsPresent", ErrorCode::precondition},
             Case{409, "BlobImmutableDueToPolicy", ErrorCode::precondition},
             Case{409, "LeaseAlreadyPresent", ErrorCode::busy},
             Case{409, "LeaseIsBreakingAndCannotBeAcquired", ErrorCode::busy},
             Case{409, "LeaseIdMismatchWithLeaseOperation", ErrorCode::precondition},
             Case{409, "LeaseNotPresentWithLeaseOperation", ErrorCode::precondition},
             Case{409, "LeaseIsBrokenAndCannotBeRenewed", ErrorCode::precondition},
             Case{409, "SomethingNew", ErrorCode::precondition},
             Case{411, "MissingContentLengthHeader", ErrorCode::usage},
             Case{412, "ConditionNotMet", ErrorCode::precondition},
             Case{412, "LeaseIdMissing", ErrorCode::busy},
             Case{412, "LeaseIdMismatchWithBlobOperation", ErrorCode::busy},
             Case{409, "LeaseIdMismatchWithBlobOperation", ErrorCode::busy},  // as in the documentation's table
             Case{412, "LeaseNotPresentWithBlobOperation", ErrorCode::precondition},
             Case{412, "LeaseLost", ErrorCode::precondition},
             Case{412, "AppendPositionConditionNotMet", ErrorCode::precondition},
             Case{412, "MaxBlobSizeConditionNotMet", ErrorCode::precondition},
             Case{413, "RequestBodyTooLarge", ErrorCode::usage},
             Case{416, "InvalidRange", ErrorCode::usage},
             Case{429, "", ErrorCode::unavailable, true},
             Case{500, "InternalError", ErrorCode::unavailable, true},
             Case{500, "OperationTimedOut", ErrorCode::unavailable, true},
             Case{500, "FeatureNotSupported", ErrorCode::unavailable},
             Case{501, "NotImplemented", ErrorCode::unavailable},
             Case{502, "", ErrorCode::unavailable, true},
             Case{503, "ServerBusy", ErrorCode::unavailable, true},
             Case{504, "", ErrorCode::unavailable, true},
         }) {
        INFO(c.status << " " << c.code);
        CHECK(classify(c.status, c.code) == c.means);
        const auto response = from_service(c.status, c.code);
        CHECK(is_transient_answer(response, c.code) == c.transient);
        const Error error = error_of(response);
        CHECK(error.code == c.means);
        CHECK(error.http_status == c.status);
        CHECK(error.service_code == c.code);
        CHECK(error.request_id == "req-1");
        CHECK(error.client_request_id == "client-1");
        CHECK(error.operation == "Put Blob");
        CHECK(error.target == "box/b");
        CHECK_FALSE(error.message.empty());
        CHECK(error.fault == TransportFault::none);
        if (c.transient) CHECK(error.retryable);
    }
}

TEST_CASE("whether the same command may succeed later without a change") {
    CHECK(error_of(from_service(409, "LeaseAlreadyPresent")).retryable);
    CHECK(error_of(from_service(409, "ContainerBeingDeleted")).retryable);
    for (const auto& [status, code] : std::vector<std::pair<int, std::string>>{{500, "FeatureNotSupported"},
                                                                               {501, "NotImplemented"},
                                                                               {404, "BlobNotFound"},
                                                                               {403, "AuthenticationFailed"},
                                                                               {412, "ConditionNotMet"},
                                                                               {302, ""}}) {
        INFO(status << " " << code);
        CHECK_FALSE(error_of(from_service(status, code)).retryable);
    }
}

TEST_CASE("whether it may have been done after all") {
    for (const auto& [status, code, may] :
         std::vector<std::tuple<int, std::string, bool>>{{408, "", true},
                                                         {429, "", false},
                                                         {500, "InternalError", true},
                                                         {500, "OperationTimedOut", true},
                                                         {500, "FeatureNotSupported", false},
                                                         {502, "", true},
                                                         {503, "ServerBusy", false},
                                                         {503, "", true},
                                                         {504, "", true},
                                                         {412, "ConditionNotMet", false},
                                                         {404, "BlobNotFound", false},
                                                         {200, "", true},  // a success, but not the expected one
                                                         {202, "", true}}) {
        INFO(status << " " << code);
        CHECK(error_of(from_service(status, code)).may_have_applied == may);
        if (code.empty()) CHECK(error_of(from_elsewhere(status)).may_have_applied == may);
    }
    CHECK(malformed_answer(a_write(), from_elsewhere(201), "x").may_have_applied);
}

TEST_CASE("the code comes from the header, then from the XML") {
    const std::string body =
        xml("<Code>BlobNotFound</Code><Message>The blob does not exist.\nRequestId:x\nTime:y</Message>"
            "<HeaderName>x-ms-range</HeaderName><AuthenticationErrorDetail>detail</AuthenticationErrorDetail>");
    auto parsed = read_error_body(from_service(404, "ContainerNotFound", body));
    CHECK(parsed.code == "ContainerNotFound");
    CHECK(parsed.message == "The blob does not exist.");
    CHECK(parsed.header_name == "x-ms-range");
    CHECK(parsed.authentication_detail == "detail");
    CHECK(read_error_body(from_service(404, {}, body)).code == "BlobNotFound");
    CHECK(error_of(from_service(404, {}, body)).service_code == "BlobNotFound");
    CHECK(read_error_body(from_service(400, {}, xml("<Code>X</Code><Message>one\r\ntwo</Message>"))).message == "one");
}

TEST_CASE("the service's own sentence is shown where the code says nothing better, with the header it means") {
    const Error error = error_of(
        from_service(400, {},
                     xml("<Code>InvalidHeaderValue</Code><Message>The value is not right.\nRequestId:x</Message>"
                         "<HeaderName>x-ms-version</HeaderName><HeaderValue>9999</HeaderValue>")));
    CHECK(error.message == "The value is not right. (header x-ms-version)");
    CHECK(error_of(from_service(404, "ContainerNotFound")).hint.find("azlock container create") != std::string::npos);
    CHECK(error_of(from_service(418)).message.find("418") != std::string::npos);
    CHECK(error_of(from_service(304)).message == "not modified");
}

TEST_CASE("no body can crash it, and none that is not the service's XML is believed") {
    const std::string whole = xml("<Code>BlobNotFound</Code><Message>m</Message>");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK(read_error_body(from_service(404, {}, whole.substr(0, length))).code.empty());
    }
    std::string many;
    while (many.size() < 70'000) many += "<x/>";
    for (const std::string& body :
         {std::string("<html><body>no</body></html>"), std::string("{\"error\":{\"code\":\"X\"}}"),
          std::string("<!DOCTYPE x><Error><Code>X</Code></Error>"), std::string(1'000'000, '<'),
          "<Error><Code>X</Code>" + many + "</Error>", std::string("\xFF\x00\x01", 3)}) {
        CHECK(read_error_body(from_service(400, {}, body)).code.empty());
        CHECK(error_of(from_service(400, {}, body)).code == ErrorCode::usage);
    }
}

TEST_CASE("what an answer says is shown on one line and without secrets") {
    const Error error = error_of(from_service(400, {},
                                              xml("<Code>A\x09"
                                                  "B</Code><Message>see https://h/?sig=MARKER now\x09</Message>"
                                                  "<HeaderName>x\x09y</HeaderName>")));
    CHECK(error.message.find("MARKER") == std::string::npos);
    CHECK(error.message.find('\t') == std::string::npos);
    CHECK(error.service_code ==
          "A\\x09"
          "B");
    auto typed = from_elsewhere(502);
    typed.headers.set("Content-Type", "text/\x01?sig=MARKER");
    CHECK(error_of(typed).message.find("MARKER") == std::string::npos);
    CHECK(error_of(typed).message.find('\x01') == std::string::npos);
}

TEST_CASE("an answer of something in between is unavailable with its status, never the service's word") {
    for (const int status : {200, 201, 301, 302, 400, 401, 403, 404, 407, 409, 412, 500, 502, 503, 504, 511}) {
        INFO(status);
        CHECK_FALSE(is_from_service(from_elsewhere(status)));
        const Error error = error_of(from_elsewhere(status));
        CHECK(error.code == ErrorCode::unavailable);
        CHECK(error.fault == TransportFault::malformed);
        CHECK(error.http_status == status);
        CHECK(error.message.find(std::to_string(status)) != std::string::npos);
        CHECK(error.message.find("text/html") != std::string::npos);
        CHECK(error.service_code.empty());
        CHECK_FALSE(error.hint.empty());
        CHECK(error.retryable == (status != 407));
    }
    // The XML of such an answer is not trusted, either.
    CHECK(error_of(from_elsewhere(404, xml("<Code>BlobNotFound</Code>"))).code == ErrorCode::unavailable);
    for (const char* header : {"x-ms-request-id", "x-ms-error-code", "x-ms-version"}) {
        http::Response response;
        response.headers.set(header, "x");
        CHECK(is_from_service(response));
    }
    http::Response emulator;
    emulator.headers.set("Server", "Azurite-Blob/3.35.0");
    CHECK(is_from_service(emulator));
}

TEST_CASE("Retry-After is taken in seconds and as a date, from the service and from what is in front of it") {
    for (auto response : {from_service(503, "ServerBusy"), from_elsewhere(503)}) {
        CHECK_FALSE(error_of(response).retry_after_ms);
        response.headers.set("Retry-After", "7");
        CHECK(error_of(response).retry_after_ms == 7000);
        response.headers.set("Retry-After", "Fri, 26 Jun 2015 23:39:42 GMT");
        CHECK(error_of(response).retry_after_ms == 30'000);
        response.headers.set("Retry-After", "soon");
        CHECK_FALSE(error_of(response).retry_after_ms);
    }
}

TEST_CASE("a clock that is off by an hour is said to be, with both clocks") {
    auto response = from_service(403, "AuthenticationFailed");
    response.headers.set("Date", "Sat, 27 Jun 2015 00:39:12 GMT");
    Error error = error_of(response);
    CHECK(error.code == ErrorCode::auth);
    CHECK(error.message.find("behind by 1 h") != std::string::npos);
    CHECK(error.message.find("2015-06-26T23:39:12Z") != std::string::npos);
    CHECK(error.message.find("2015-06-27T00:39:12Z") != std::string::npos);
    CHECK(error.hint == "set the clock");
    response.headers.set("Date", "Fri, 26 Jun 2015 22:39:12 GMT");
    error = error_of(response);
    CHECK(error.message.find("ahead by 1 h") != std::string::npos);
    CHECK(error.message.find("2015-06-26T22:39:12Z") != std::string::npos);
    // An answer to HEAD has no body, and older services send no header with the code.
    response.headers.remove("x-ms-error-code");
    CHECK(error_of(response).message.find("ahead by 1 h") != std::string::npos);
}

TEST_CASE("the clock is not blamed where it is right, or where it cannot be the reason") {
    auto response = from_service(403, "AuthenticationFailed");
    for (const char* date : {"Fri, 26 Jun 2015 23:39:12 GMT", "Fri, 26 Jun 2015 23:52:12 GMT",
                             "Fri, 26 Jun 2015 23:26:12 GMT", "yesterday", ""}) {
        response.headers.set("Date", date);
        CHECK(error_of(response).message.find("clock") == std::string::npos);
    }
    response.headers.set("Date", "Sat, 27 Jun 2015 00:39:12 GMT");
    Operation with_sas = a_write();
    with_sas.request.headers.remove("Authorization");
    CHECK(error_of(response, with_sas).message.find("clock") == std::string::npos);
    for (const auto& [status, code] : std::vector<std::pair<int, std::string>>{
             {403, "AuthorizationPermissionMismatch"}, {404, "BlobNotFound"}, {412, "ConditionNotMet"}}) {
        auto other = from_service(status, code);
        other.headers.set("Date", "Sat, 27 Jun 2015 00:39:12 GMT");
        CHECK(error_of(other).message.find("clock") == std::string::npos);
    }
}
