// ops/login/application: the token requests of a service principal and of a workload identity.
#include "base/encoding.hpp"
#include "ops/login/application.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;
using test::body_of;
using test::LoginRig;
using test::token_answer;

namespace {

constexpr const char* kAnswer = R"({"token_type":"Bearer","expires_in":3599,"access_token":"ey.token"})";

std::string assertion(const std::string& claims = "{}") {
    return "aGVhZA." + base64url_encode(as_bytes(claims)) + ".c2ln";
}

}  // namespace

TEST_CASE("a client secret is exchanged for a token") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "a secret&+~";
    rig.transport.answer(token_answer(200, kAnswer));
    const BootTime sent = rig.clock.now();
    const auto token = rig.fetch();
    REQUIRE(token);
    CHECK(token->bearer.reveal() == "ey.token");
    CHECK(token->ends - sent == 3599s);
    const http::Request& request = rig.transport.requests.at(0);
    CHECK(request.method == http::Method::post);
    CHECK(request.origin.to_string() == "https://login.microsoftonline.com");
    CHECK(request.wire_target() == "/tenant-1/oauth2/v2.0/token");
    CHECK(request.headers.get("Content-Type") == "application/x-www-form-urlencoded");
    CHECK(body_of(request) ==
          "grant_type=client_credentials&client_id=client-1&scope=https%3A%2F%2Fstorage.azure.com%2F.default"
          "&client_secret=a%20secret%26%2B~");
}

TEST_CASE("the life of a token counts from before its request") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    rig.transport.play([&](const http::Request&, const std::stop_token&) -> Result<http::Response> {
        rig.clock.advance(10s);
        return token_answer(200, kAnswer);
    });
    const BootTime before = rig.clock.now();
    CHECK(rig.fetch().value().ends == before + 3599s);
}

TEST_CASE("a workload identity proves itself with the file of the moment") {
    LoginRig rig;
    const test::TempDir dir;
    rig.be_application();
    rig.variables["AZURE_FEDERATED_TOKEN_FILE"] = dir.write("token", assertion() + "\n");
    auto source = choose_source(rig.options());
    REQUIRE(source);
    CHECK((*source)->describe() == "workload identity (client client-1)");
    const std::string renewed = assertion(R"({"n":2})");
    for (const std::string& jwt : {assertion(), renewed}) {
        dir.write("token", jwt + "\n");
        rig.transport.answer(token_answer(200, kAnswer));
        REQUIRE((*source)->fetch(kNoDeadline, {}));
        CHECK(body_of(rig.transport.requests.back())
                  .ends_with("&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&"
                             "client_assertion=" +
                             jwt));
    }
}

TEST_CASE("a token file that is missing, empty or holds no JWT is an error before anything is sent") {
    LoginRig rig;
    const test::TempDir dir;
    rig.be_application();
    const std::string path = dir.file("token");
    rig.variables["AZURE_FEDERATED_TOKEN_FILE"] = path;
    const char* content = GENERATE(static_cast<const char*>(nullptr), "", "\n", "MARKER", "MARKER.two", "MARKER .b.c",
                                   "\"MARKER.b.c\"", "a.b.c, and so on");
    if (content != nullptr) dir.write("token", *content == 'a' ? std::string(65'530, 'a') + ".b.cccccc" : content);
    const auto token = rig.fetch();
    REQUIRE_FALSE(token);
    CHECK(token.error().code == ErrorCode::auth);
    CHECK(token.error().message.find("AZURE_FEDERATED_TOKEN_FILE: ") == 0);
    CHECK(token.error().message.find(path) != std::string::npos);
    CHECK(token.error().message.find("MARKER") == std::string::npos);
    CHECK(rig.transport.requests.empty());
}

TEST_CASE("an assertion in a variable works until its end, which is told") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_ID_TOKEN"] = assertion(R"({"exp":1700000060})");
    auto source = choose_source(rig.options());
    REQUIRE(source);
    CHECK((*source)->last_renewal() == WallTime(1'700'000'060s));
    rig.transport.answer(token_answer(200, kAnswer));
    REQUIRE((*source)->fetch(kNoDeadline, {}));
    rig.clock.advance(61s);
    const auto late = (*source)->fetch(kNoDeadline, {});
    REQUIRE_FALSE(late);
    CHECK(late.error().message.find("2023-11-14T22:14:20Z") != std::string::npos);
    CHECK(rig.transport.requests.size() == 1);
}

TEST_CASE("a refusal of the endpoint is told with its reason, and an outage as one that may pass") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "MARKER";
    rig.transport.answer(token_answer(
        401, R"({"error":"invalid_client","error_description":"AADSTS7000222: The secret has expired."})"));
    const auto refused = rig.fetch();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::auth);
    CHECK(refused.error().message.find("AADSTS7000222") != std::string::npos);
    CHECK(refused.error().fault == TransportFault::none);
    for (int i = 0; i < 3; ++i) rig.transport.answer(token_answer(503, "<html>", {{"Content-Type", "text/html"}}));
    const auto down = rig.fetch();
    REQUIRE_FALSE(down);
    CHECK(down.error().fault != TransportFault::none);
    for (const auto& error : {refused.error(), down.error()}) {
        CHECK((error.message + error.hint).find("MARKER") == std::string::npos);
    }
}

TEST_CASE("an authority is https and a host alone, or on this machine") {
    CHECK(read_authority("https://login.microsoftonline.us/", "V")->to_string() == "https://login.microsoftonline.us");
    CHECK(read_authority("http://127.0.0.1:8080", "V")->to_string() == "http://127.0.0.1:8080");
    for (const char* bad : {"", "login.microsoftonline.com", "http://login.microsoftonline.com", "https://h/tenant",
                            "https://h/?q=1", "https://u:p@h", "ftp://h"}) {
        INFO(bad);
        const auto authority = read_authority(bad, "V");
        REQUIRE_FALSE(authority);
        CHECK(authority.error().code == ErrorCode::config);
        CHECK(authority.error().message.starts_with("V "));
    }
}

TEST_CASE("a tenant is an id or a domain, and nothing that changes the URL") {
    CHECK(check_tenant("ab1f708d-50f6-404c-a006-d71b2ac7a606", "V"));
    CHECK(check_tenant("contoso.onmicrosoft.com", "V"));
    for (const char* bad : {"", "a/b", "a?b", "a b", "..%2f", "a#", "t\xC3\xA9", "..", ".", "a..b", "-o", "--debug"})
        CHECK_FALSE(check_tenant(bad, "V"));
    CHECK(Application{{}, "t", "c"}.token_path() == "/t/oauth2/v2.0/token");
    CHECK(Application{{}, "adfs", "c"}.token_path() == "/adfs/oauth2/token");
}
