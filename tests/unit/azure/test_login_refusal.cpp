// azure/login_refusal: what a refused request of a login means.
#include "azure/login_refusal.hpp"
#include "azure/service_error.hpp"
#include "support/catch.hpp"
#include "support/scripted_transport.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::service_answer;

namespace {

constexpr const char* kTenant = "ab1f708d-50f6-404c-a006-d71b2ac7a606";
constexpr const char* kOther = "11111111-2222-3333-4444-555555555555";

struct Told {
    Error error;
    bool renewable;
};

Told told(const http::Response& answer, const char* operation = "Put Block", http::Method method = http::Method::put) {
    Operation op;
    op.name = operation;
    op.request.method = method;
    op.request.headers.set("Authorization", "Bearer MARKER");
    Told out{to_error(op, answer, WallTime()), false};
    out.renewable = explain_login_refusal(op, answer, kTenant, out.error);
    CHECK(out.error.code == ErrorCode::auth);
    CHECK((out.error.message + out.error.hint).find("MARKER") == std::string::npos);
    return out;
}

http::Response challenge(const std::string& tenant) {
    return service_answer(401, "InvalidAuthenticationInfo",
                          {{"WWW-Authenticate", "Bearer authorization_uri=https://login.microsoftonline.com/" + tenant +
                                                    "/oauth2/authorize resource_id=https://storage.azure.com"}});
}

}  // namespace

TEST_CASE("a challenge names the tenant of the account, in both of its forms, and only of a known authority") {
    const std::string uri = std::string("https://login.microsoftonline.com/") + kTenant + "/oauth2/authorize";
    CHECK(challenge_tenant("Bearer authorization_uri=" + uri + " resource_id=https://storage.azure.com") == kTenant);
    CHECK(challenge_tenant("Bearer authorization_uri=\"" + uri +
                           "\", error=\"insufficient_claims\", claims=\"e30=\"") == kTenant);
    for (const std::string& bad :
         {std::string(), std::string("Basic realm=x"), std::string("Bearer"), std::string("Bearer authorization_uri="),
          "Bearer authorization_uri=http://login.microsoftonline.com/" + std::string(kTenant),
          "Bearer authorization_uri=https://login.example.org/" + std::string(kTenant),
          std::string("Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2"),
          std::string("Bearer authorization_uri=https://login.microsoftonline.com")}) {
        INFO(bad);
        CHECK(challenge_tenant(bad).empty());
    }
}

TEST_CASE("a token that was refused may be replaced, unless the account is of another tenant") {
    CHECK(told(challenge(kTenant)).renewable);
    CHECK(told(service_answer(401, "InvalidAuthenticationInfo")).renewable);
    CHECK(told(service_answer(403, "AuthenticationFailed")).renewable);
    const Told other = told(challenge(kOther));
    CHECK_FALSE(other.renewable);
    CHECK(other.error.message.find(kTenant) != std::string::npos);
    CHECK(other.error.message.find(kOther) != std::string::npos);
}

TEST_CASE("the service's reason for refusing a token is passed on") {
    http::Response answer = service_answer(401, "InvalidAuthenticationInfo");
    answer.body =
        "<Error><Code>InvalidAuthenticationInfo</Code><Message>m</Message><AuthenticationErrorDetail>"
        "Lifetime validation failed. The token is expired.</AuthenticationErrorDetail></Error>";
    CHECK(told(answer).error.message ==
          "the service refused the token: Lifetime validation failed. The token is expired.");
}

TEST_CASE("a missing role is named, with the scope that it is needed at") {
    const auto hint = [](const char* operation, http::Method method) {
        const Told out = told(service_answer(403, "AuthorizationPermissionMismatch"), operation, method);
        CHECK_FALSE(out.renewable);
        CHECK(out.error.message == "the identity has no role that allows this");
        CHECK(out.error.hint.find("ten minutes") != std::string::npos);
        return out.error.hint;
    };
    using http::Method;
    CHECK(hint("Get Blob", Method::get).find("Storage Blob Data Reader at the container") != std::string::npos);
    CHECK(hint("Lease Blob", Method::put).find("Storage Blob Data Contributor at the container") != std::string::npos);
    CHECK(hint("Get Blob Tags", Method::get).find("Storage Blob Data Owner") != std::string::npos);
    CHECK(hint("Create Container", Method::put).find("Contributor at the storage account") != std::string::npos);
    CHECK(hint("List Containers", Method::get).find("Reader at the storage account") != std::string::npos);
    CHECK(hint("Get User Delegation Key", Method::post).find("Storage Blob Delegator at the storage account") !=
          std::string::npos);
}

TEST_CASE("a firewall and a lost header are told apart from the credential") {
    const Told firewall = told(service_answer(403, "AuthorizationFailure"));
    CHECK(firewall.error.hint.find("firewall") != std::string::npos);
    CHECK_FALSE(firewall.renewable);
    const Told lost = told(service_answer(401, "NoAuthenticationInformation"));
    CHECK(lost.error.hint.find("proxy") != std::string::npos);
    CHECK_FALSE(lost.renewable);
}

TEST_CASE("what is no refusal of the credential stays as it is") {
    Operation op;
    const http::Response missing = service_answer(404, "BlobNotFound");
    Error error = to_error(op, missing, WallTime());
    const std::string before = error.message;
    CHECK_FALSE(explain_login_refusal(op, missing, kTenant, error));
    CHECK(error.message == before);
    const http::Response page = test::foreign_answer(401);
    Error foreign = to_error(op, page, WallTime());
    CHECK_FALSE(explain_login_refusal(op, page, kTenant, foreign));
}

TEST_CASE("an account that takes no keys says to log in") {
    Operation op;
    op.request.headers.set("Authorization", "SharedKey a:b");
    const Error error = to_error(op, service_answer(403, "KeyBasedAuthenticationNotPermitted"), WallTime());
    CHECK(error.code == ErrorCode::auth);
    CHECK(error.hint.find("--auth-mode login") != std::string::npos);
}
