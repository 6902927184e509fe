// ops/login/pipeline_assertion: a fresh assertion of GitHub Actions or Azure Pipelines for each token.
#include "base/encoding.hpp"
#include "ops/login/pipeline_assertion.hpp"
#include "support/catch.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using test::body_of;
using test::LoginRig;
using test::token_answer;

namespace {

std::string job_jwt(int number) {
    return "aGVhZA." + base64url_encode(as_bytes("{\"n\":" + std::to_string(number) + "}")) + ".c2ln";
}

struct PipelinesRig : LoginRig {
    PipelinesRig() { be_application(); }
    void be_github() {
        variables["ACTIONS_ID_TOKEN_REQUEST_URL"] = "https://vstoken.test/_apis/token?api-version=2.0";
        variables["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = "MARKER";
    }
    void be_azure_pipelines() {
        variables["SYSTEM_OIDCREQUESTURI"] = "https://dev.test/org/oidctoken";
        variables["SYSTEM_ACCESSTOKEN"] = "MARKER";
        variables["AZURESUBSCRIPTION_SERVICE_CONNECTION_ID"] = "conn";
    }
};

}  // namespace

TEST_CASE("GitHub gives a new assertion for each token") {
    PipelinesRig rig;
    rig.be_github();
    auto source = choose_source(rig.options());
    REQUIRE(source);
    CHECK((*source)->describe() == "GitHub Actions (client client-1)");
    for (int i = 0; i < 2; ++i) {
        rig.transport.answer(token_answer(200, "{\"count\":1,\"value\":\"" + job_jwt(i) + "\"}"));
        rig.give_token();
        REQUIRE((*source)->fetch(kNoDeadline, {}));
        CHECK(body_of(rig.transport.requests.back()).ends_with("client_assertion=" + job_jwt(i)));
    }
    const http::Request& sent = rig.transport.requests.at(0);
    CHECK(sent.method == http::Method::get);
    CHECK(sent.wire_target() == "/_apis/token?api-version=2.0&audience=api%3A%2F%2FAzureADTokenExchange");
    CHECK(sent.headers.get("Authorization") == "Bearer MARKER");
}

TEST_CASE("Azure Pipelines is asked for the service connection's assertion") {
    PipelinesRig rig;
    rig.be_azure_pipelines();
    rig.transport.answer(token_answer(200, "{\"oidcToken\":\"" + job_jwt(1) + "\"}"));
    rig.give_token();
    REQUIRE(rig.fetch());
    const http::Request& sent = rig.transport.requests.at(0);
    CHECK(sent.method == http::Method::post);
    CHECK(sent.wire_target() == "/org/oidctoken?api-version=7.1&serviceConnectionId=conn");
    CHECK(sent.headers.get("Authorization") == "Bearer MARKER");
    CHECK(sent.headers.get("X-TFS-FedAuthRedirect") == "Suppress");
    CHECK(sent.content_length() == 0);
}

TEST_CASE("an assertion that is refused or is none is told with what the job needs, and no secret") {
    for (const auto& answer : {token_answer(401, "{\"message\":\"no\"}"), token_answer(302, ""),
                               token_answer(200, "{}"), token_answer(200, R"({"value":"one.two"})"),
                               token_answer(200, "<html>sign in</html>", {{"Content-Type", "text/html"}})}) {
        PipelinesRig rig;
        rig.be_github();
        rig.transport.answer(answer);
        const auto token = rig.fetch();
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(token.error().message.find("GitHub") == 0);
        CHECK(token.error().hint.find("id-token: write") != std::string::npos);
        CHECK((token.error().message + token.error().hint).find("MARKER") == std::string::npos);
        CHECK(rig.transport.done());
    }
}

TEST_CASE("a refusal is told with its status, and an outage without advice about the job") {
    PipelinesRig rig;
    rig.be_github();
    rig.transport.answer(token_answer(401, "{\"value\":\"" + job_jwt(1) + "\"}"));
    CHECK(rig.fetch().error().message.find("HTTP 401") != std::string::npos);
    for (int i = 0; i < 3; ++i) rig.transport.answer(token_answer(503, ""));
    const Error down = rig.fetch().error();
    CHECK(down.code == ErrorCode::unavailable);
    CHECK(down.hint.find("id-token") == std::string::npos);
}

TEST_CASE("the secret of a job goes to no plain http address and to no text that is none") {
    for (const char* url : {"http://vstoken.test/token", "nowhere", "https://vstoken.test/?a=%zz"}) {
        PipelinesRig rig;
        rig.be_github();
        rig.variables["ACTIONS_ID_TOKEN_REQUEST_URL"] = url;
        const auto token = rig.fetch("github");
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::config);
        CHECK(rig.transport.requests.empty());
    }
}

TEST_CASE("a token or URL of a job that cannot be sent names its variable, and keeps its value: 78") {
    PipelinesRig rig;
    const auto refused = [&](const char* variable, const std::string& value) {
        CAPTURE(variable, value);
        const std::string before = std::exchange(rig.variables[variable], value);
        const auto token = rig.fetch();
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::config);
        CHECK(token.error().message.find(variable) == 0);
        CHECK(token.error().message.find("MARKER") == std::string::npos);
        rig.variables[variable] = before;
    };
    SECTION("GitHub Actions") {
        rig.be_github();
        for (const char* token : {"MARKER\r\nx: y", "MARKER\nMARKER", "MARKER MARKER", "MARKER\xC3\xA9"}) {
            refused("ACTIONS_ID_TOKEN_REQUEST_TOKEN", token);
        }
        for (const char* url : {"MARKER", "https://h/MARKER\nx", "https://h/MARKER x", "https://h/\"MARKER\""}) {
            refused("ACTIONS_ID_TOKEN_REQUEST_URL", url);
        }
    }
    SECTION("Azure Pipelines, with Terraform's names") {
        rig.variables["ARM_OIDC_REQUEST_URL"] = "https://dev.test/org/oidctoken";
        rig.variables["ARM_OIDC_REQUEST_TOKEN"] = "MARKER";
        rig.variables["ARM_OIDC_AZURE_SERVICE_CONNECTION_ID"] = "conn";
        refused("ARM_OIDC_REQUEST_TOKEN", "MARKER\nMARKER");
        refused("ARM_OIDC_REQUEST_URL", "MARKER");
    }
    CHECK(rig.transport.requests.empty());
}
