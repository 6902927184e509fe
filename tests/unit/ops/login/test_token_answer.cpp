// ops/login/token_answer: tokens, their ends and refusals, in all the forms that endpoints have.
#include <algorithm>

#include "base/encoding.hpp"
#include "ops/login/token_answer.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;

namespace {

constexpr auto kNow = std::chrono::seconds(1'700'000'000);

Asked asked() {
    return {BootTime(100s), BootTime(101s), WallTime(kNow), "the desk"};
}

std::string jwt(const std::string& claims) {
    return base64url_encode(as_bytes("{}")) + "." + base64url_encode(as_bytes(claims)) + ".c2ln";
}

// The life of the token in an answer, from the moment before the request.
std::chrono::nanoseconds life_of(const std::string& fields, const std::string& token = "abc") {
    const auto read = read_token(R"({"access_token":")" + token + "\"" + fields + "}", asked());
    INFO(fields);
    REQUIRE(read);
    CHECK(read->bearer.reveal() == token);
    return read->ends - read->asked;
}

http::Response refusal(int status, const std::string& body, const std::string& type = "application/json") {
    http::Response out;
    out.status = status;
    out.body = body;
    out.headers.set("Content-Type", type);
    return out;
}

}  // namespace

TEST_CASE("the end of a token is read from a number or a text, whatever the host") {
    CHECK(life_of(R"(,"expires_in":3599)") == 3599s);
    CHECK(life_of(R"(,"expires_in":"3599")") == 3599s);
    CHECK(life_of(R"(,"expires_in":3599.0)") == 3599s);
    CHECK(life_of(R"(,"expires_in":" 3599 ")") == 3599s);
    // An absolute end counts from the moment of the answer.
    CHECK(life_of(R"(,"expires_on":"1700003600")") == 3601s);
    CHECK(life_of(R"(,"expires_on":1700003600)") == 3601s);
    CHECK(life_of(R"(,"expires_on":"2023-11-14T23:13:20Z")") == 3601s);
    CHECK(life_of(R"(,"expires_on":"2023-11-14T23:13:20+00:00")") == 3601s);
    CHECK(life_of(R"(,"expires_on":"2023-11-14 23:13:20")") == 3601s);
    CHECK(life_of(R"(,"expires_on":"11/14/2023 23:13:20 +00:00")") == 3601s);
    CHECK(life_of(R"(,"expires_on":"11/14/2023 23:13:20")") == 3601s);
    CHECK(life_of(R"(,"expires_in":"60","expires_on":"1700003600")") == 60s);
    // Neither: the token itself, else five minutes.
    CHECK(life_of("", jwt(R"({"exp":1700003600})")) == 3601s);
    CHECK(life_of(R"(,"expires_on":"9/14/2017 00:00:00 PM +00:00")") == 301s);
    CHECK(life_of(R"(,"expires_in":null)") == 301s);
    CHECK(life_of(R"(,"expires_in":99999999999999999999)") > 0s);
    CHECK(life_of(R"(,"expires_in":"99999999999999")") <= 366 * 24h);
    CHECK(life_of(R"(,"expires_on":"999999999999")") <= 367 * 24h);
}

TEST_CASE("a source may want to be asked again early") {
    const auto read = read_token(R"({"access_token":"a","expires_in":86400,"refresh_in":"43200"})", asked());
    REQUIRE(read);
    CHECK(*read->refresh - read->asked == 43200s);
    CHECK_FALSE(read_token(R"({"access_token":"a","expires_in":86400})", asked())->refresh);
    for (const char* never : {"0", "\"0\"", "-1", "\"soon\"", "null"}) {
        CAPTURE(never);
        CHECK_FALSE(
            read_token(R"({"access_token":"a","expires_in":86400,"refresh_in":)" + std::string(never) + "}", asked())
                ->refresh);
    }
}

TEST_CASE("what is no token, or one that has ended, is an error that does not hold it") {
    const std::string huge = R"({"access_token":"MARKER)" + std::string(65'536, 'x') + "\"}";
    for (const char* bad :
         {"", "null", huge.c_str(), "[]", "{}", "{", R"({"access_token":7e300})", R"({"access_token":""})",
          R"({"access_token":["a"]})", R"({"access_token":"MARKER x"})", R"({"access_token":"MARKER\r\nX: y"})",
          R"({"access_token":"MARKER","expires_in":0})", R"({"access_token":"MARKER","expires_in":-5})",
          R"({"access_token":"MARKER","expires_in":"-5"})", R"({"access_token":"MARKER","expires_on":"1600000000"})",
          "<html></html>"}) {
        INFO(bad);
        const auto read = read_token(bad, asked());
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::auth);
        CHECK(read.error().message.find("the desk") != std::string::npos);
        CHECK(read.error().message.find("MARKER") == std::string::npos);
    }
}

TEST_CASE("a JWT tells whose it is, and what is none tells nothing") {
    const auto claims = read_claims(jwt(R"({"tid":"t","oid":"o","sub":"s","iss":"i","appid":"c","exp":1700000000})"));
    REQUIRE(claims);
    CHECK(claims->tenant == "t");
    CHECK(claims->object_id == "o");
    CHECK(claims->subject == "s");
    CHECK(claims->issuer == "i");
    CHECK(claims->client_id == "c");
    CHECK(claims->user.empty());
    CHECK(claims->ends == WallTime(kNow));
    CHECK(read_claims(jwt(R"({"azp":"c","upn":"u@x"})"))->client_id == "c");
    CHECK(read_claims(jwt(R"({"azp":"c","upn":"u@x"})"))->user == "u@x");
    for (const char* bad : {"", ".", "..", "a.b", "a.b.c.d", "a.!!.c", "a.e30=.c", "a.bnVsbA.c"}) {
        INFO(bad);
        CHECK_FALSE(read_claims(bad));
    }
}

TEST_CASE("a refusal says what the endpoint says, in each of its forms, and what to do about a known code") {
    const auto entra = token_refusal(
        refusal(401,
                R"({"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided.\r\n)"
                R"(Trace ID: x","error_codes":[7000215],"trace_id":"trace-1"})"),
        "client secret");
    CHECK(entra.code == ErrorCode::auth);
    CHECK(entra.message == "client secret gave no token: HTTP 401, AADSTS7000215: Invalid client secret provided.");
    CHECK(entra.hint.find("not its id") != std::string::npos);
    CHECK(entra.service_code == "invalid_client");
    CHECK(entra.http_status == 401);
    CHECK(entra.request_id == "trace-1");
    // 700021 must not be taken for 7000215.
    CHECK(token_refusal(refusal(400, R"({"error":"e","error_description":"AADSTS700021: x"})"), "s").hint !=
          entra.hint);
    const auto says = [](const std::string& body, const char* part) {
        INFO(body);
        CHECK(token_refusal(refusal(400, body), "s").message.find(part) != std::string::npos);
    };
    says(R"({"error":"invalid_request","error_description":"Identity not found"})", "Identity not found");
    says(R"({"statusCode":400,"message":"No such identity","correlationId":"x"})", "No such identity");
    says(R"({"error":{"code":"C","message":"inner"}})", "inner");
    says(R"({"error":"only this"})", "only this");
    says("", "HTTP 400");
    const auto endless =
        token_refusal(refusal(400, R"({"error_description":")" + std::string(900'000, 'x') + "\"}"), "s");
    CHECK(endless.message.size() < 1100);
    says("[1,2]", "HTTP 400");
    const auto page = token_refusal(refusal(200 + 300, "<html>", "text/html"), "s");
    CHECK(page.message == "s gave no token: HTTP 500 (text/html)");
    CHECK(page.hint.find("proxy") != std::string::npos);
    CHECK(token_refusal(refusal(302, "", ""), "s").message.find("redirect") != std::string::npos);
}

TEST_CASE("a refusal does not control the terminal") {
    for (const auto& answer : {refusal(400, R"({"error":"a\u001b[2J","error_description":"b\u0007\tc"})"),
                               refusal(400, "<html>", "text/\x1bhtml")}) {
        const Error error = token_refusal(answer, "s");
        for (const std::string& text : {error.message, error.service_code}) {
            CHECK(std::none_of(text.begin(), text.end(), [](char c) { return c < ' '; }));
        }
    }
}

TEST_CASE("a refusal that repeats what it was sent shows no secret, in whatever part it comes") {
    const std::string form = "grant_type=x&client_secret=MARKER&scope=y";
    for (const auto& answer : {refusal(400, R"({"error":")" + form + "\"}"), refusal(400, form, "text/html; " + form),
                               refusal(400, R"({"error_description":"x )" + form + R"(","trace_id":")" + form + "\"}"),
                               refusal(400, R"({"error":{"code":")" + form + R"(","message":"Bearer MARKER"}})")}) {
        const Error error = token_refusal(answer, "s");
        for (const std::string& text : {error.message, error.hint, error.service_code, error.request_id}) {
            INFO(text);
            CHECK(text.find("MARKER") == std::string::npos);
        }
    }
}
