// ops/login/managed_identity and arc_identity: the requests of each host, and what their refusals mean.
#include "ops/login/arc_identity.hpp"
#include "ops/login/managed_identity.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;
using http::Method;
using test::body_of;
using test::LoginRig;
using test::token_answer;

namespace {

constexpr const char* kStrings =
    R"({"access_token":"ey","expires_in":"86399","expires_on":"1700086399","resource":"r","token_type":"Bearer"})";

struct IdentityRig : LoginRig {
    Result<Token> fetch(bool guessed = false) {
        auto source = make_managed_identity({line(), options().environment, guessed});
        if (!source) return fail(source.error());
        return (*source)->fetch(kNoDeadline, {});
    }
    const http::Request& sent(std::size_t at = 0) { return transport.requests.at(at); }
};

}  // namespace

TEST_CASE("the metadata service of a machine is asked for a token, and for one identity if a client id is set") {
    IdentityRig rig;
    rig.transport.answer(token_answer(200, kStrings));
    const auto token = rig.fetch();
    REQUIRE(token);
    CHECK(token->bearer.reveal() == "ey");
    CHECK(token->ends - token->asked == 86399s);
    CHECK(rig.sent().method == Method::get);
    CHECK(rig.sent().origin.to_string() + rig.sent().wire_target() ==
          "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01"
          "&resource=https%3A%2F%2Fstorage.azure.com");
    CHECK(rig.sent().headers.get("Metadata") == "true");
    CHECK(rig.sent().past_proxy);
    rig.variables["AZURE_CLIENT_ID"] = "c";
    rig.variables["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = "http://127.0.0.1:99";
    rig.transport.answer(token_answer(200, kStrings));
    REQUIRE(rig.fetch());
    CHECK(rig.sent(1).origin.to_string() == "http://127.0.0.1:99");
    CHECK(rig.sent(1).wire_target().ends_with("&client_id=c"));
}

TEST_CASE("a host's secret loses the blanks around it, and one that no header can have names its variable: 78") {
    for (const auto& [endpoint, secret, header] :
         {std::tuple{"IDENTITY_ENDPOINT", "IDENTITY_HEADER", "X-IDENTITY-HEADER"},
          std::tuple{"MSI_ENDPOINT", "MSI_SECRET", "secret"}}) {
        CAPTURE(secret);
        IdentityRig rig;
        rig.variables[endpoint] = "http://127.0.0.1:42/token";
        rig.variables[secret] = "MARKER\n";
        rig.transport.answer(token_answer(200, kStrings));
        REQUIRE(rig.fetch());
        CHECK(rig.sent().headers.get(header) == "MARKER");
        rig.variables[secret] = "MARKER\nMARKER";
        for (const bool guessed : {false, true}) {
            auto source = choose_source(rig.options(guessed ? "" : "managed-identity"));
            REQUIRE(source);
            const auto token = (*source)->fetch(kNoDeadline, {});
            REQUIRE_FALSE(token);
            CHECK(token.error().code == ErrorCode::config);
            CHECK(token.error().message.find(secret) == 0);
            CHECK(token.error().message.find("MARKER") == std::string::npos);
        }
        rig.variables[endpoint] = "http://127.0.0.1:42/to ken";
        CHECK(rig.fetch().error().message == std::string(endpoint) + " is not a URL");
        CHECK(rig.transport.requests.size() == 1);
    }
}

TEST_CASE("a guessed metadata service is looked for first, for a second") {
    IdentityRig rig;
    SECTION("nobody answers: it is not there") {
        rig.transport.fail(TransportFault::timeout, false);
        const auto token = rig.fetch(true);
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(token.error().fault == TransportFault::none);
        CHECK(token.error().message.find("169.254.169.254") != std::string::npos);
        CHECK(rig.transport.deadlines[0] == rig.clock.now() + 1s);
        CHECK_FALSE(rig.sent().headers.has("Metadata"));
        CHECK(rig.sent().query.empty());
    }
    SECTION("the metadata service of another cloud is none") {
        rig.transport.answer(token_answer(404, "<html>Not Found</html>", {{"Server", "EC2ws"}}));
        const auto token = rig.fetch(true);
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(token.error().fault == TransportFault::none);
        CHECK(token.error().message.find("something else answers at 169.254.169.254") != std::string::npos);
    }
    SECTION("one that starts is there") {
        rig.transport.answer(token_answer(404, R"({"error":"not_found"})"));
        rig.transport.answer(token_answer(200, kStrings));
        CHECK(rig.fetch(true));
    }
    SECTION("any answer: it is there, and is asked for good") {
        rig.transport.answer(token_answer(400, ""));
        rig.transport.answer(token_answer(404, ""));
        rig.transport.answer(token_answer(200, kStrings));
        auto source = make_managed_identity({rig.line(), rig.options().environment, true});
        REQUIRE((*source)->fetch(kNoDeadline, {}));
        rig.transport.answer(token_answer(200, kStrings));  // it is looked for once
        CHECK((*source)->fetch(kNoDeadline, {}));
    }
    SECTION("a stop: nobody knows") {
        rig.transport.play([](const http::Request&, const std::stop_token&) -> Result<http::Response> {
            return fail(stopped_by_signal());
        });
        CHECK(rig.fetch(true).error().code == ErrorCode::cancelled);
    }
}

TEST_CASE("a metadata service that starts, is updated or throttles is waited for") {
    IdentityRig rig;
    rig.transport.answer(token_answer(404, ""));
    rig.transport.answer(token_answer(429, "", {{"Retry-After", "3"}}));
    for (int i = 0; i < 7; ++i) rig.transport.answer(token_answer(410, ""));
    rig.transport.answer(token_answer(200, kStrings));
    CHECK(rig.fetch());
    CHECK(rig.transport.done());
}

TEST_CASE("a machine without the identity is told, and so is a proxy in between") {
    IdentityRig rig;
    rig.transport.answer(token_answer(400, R"({"error":"invalid_request","error_description":"Identity not found"})"));
    const auto none = rig.fetch();
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("Identity not found") != std::string::npos);
    CHECK(none.error().hint.find("assign an identity") != std::string::npos);
    CHECK(none.error().fault == TransportFault::none);
    for (const int status : {502, 504}) {
        for (int i = 0; i < 6; ++i) rig.transport.answer(token_answer(status, ""));
        const auto between = rig.fetch();
        REQUIRE_FALSE(between);
        CHECK(between.error().hint.find("a proxy seems to stand between") != std::string::npos);
    }
    rig.transport.answer(token_answer(403, "connecting to 169.254.169.254:80: unreachable network"));
    CHECK(rig.fetch().error().code == ErrorCode::auth);
}

TEST_CASE("App Service is asked with the header of the moment") {
    IdentityRig rig;
    rig.variables["IDENTITY_ENDPOINT"] = "http://localhost:42356/msi/token";
    rig.variables["IDENTITY_HEADER"] = "one";
    auto source = make_managed_identity({rig.line(), rig.options().environment, true});
    REQUIRE(source);
    for (const char* header : {"one", "two"}) {
        rig.variables["IDENTITY_HEADER"] = header;
        rig.transport.answer(token_answer(404, ""));  // it is starting
        rig.transport.answer(token_answer(200, R"({"access_token":"ey","expires_on":"1700003600"})"));
        const auto token = (*source)->fetch(kNoDeadline, {});  // no probe: the variables say that it is there
        REQUIRE(token);
        CHECK(token->ends - rig.clock.now() == WallTime(1'700'003'600s) - rig.clock.wall());
        CHECK(rig.transport.requests.back().headers.get("Metadata") == "true");  // for Automation
        CHECK(rig.transport.requests.back().headers.get("X-IDENTITY-HEADER") == header);
    }
    CHECK(rig.sent().wire_target() == "/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com");
}

TEST_CASE("the agent of App Service may be in a private network, and is asked past the proxies") {
    for (const char* host : {"http://172.16.1.2:8081", "http://169.254.130.2:8081", "http://10.0.0.1", "http://[::1]:1",
                             "https://agent.example"}) {
        CAPTURE(host);
        IdentityRig rig;
        rig.variables["IDENTITY_ENDPOINT"] = std::string(host) + "/msi/token";
        rig.variables["IDENTITY_HEADER"] = "h";
        rig.transport.answer(token_answer(200, R"({"access_token":"ey","expires_on":"1700003600"})"));
        REQUIRE(rig.fetch());
        CHECK(rig.sent().past_proxy == !rig.sent().origin.tls);
    }
}

TEST_CASE("Azure ML and Cloud Shell are asked in their own ways") {
    IdentityRig rig;
    rig.variables["MSI_ENDPOINT"] = "http://127.0.0.1:50342/oauth2/token";
    rig.transport.answer(token_answer(200, kStrings));
    REQUIRE(rig.fetch());
    CHECK(rig.sent().method == Method::post);
    CHECK(body_of(rig.sent()) == "resource=https%3A%2F%2Fstorage.azure.com");
    CHECK(rig.sent().headers.get("Metadata") == "true");
    rig.variables["MSI_SECRET"] = "s";
    rig.variables["DEFAULT_IDENTITY_CLIENT_ID"] = "d";
    rig.transport.answer(token_answer(200, kStrings));
    REQUIRE(rig.fetch());
    CHECK(rig.sent(1).wire_target() ==
          "/oauth2/token?api-version=2017-09-01&resource=https%3A%2F%2Fstorage.azure.com&clientid=d");
    CHECK(rig.sent(1).headers.get("secret") == "s");
    rig.variables["AZURE_CLIENT_ID"] = "c";
    rig.transport.answer(token_answer(200, kStrings));
    REQUIRE(rig.fetch());
    CHECK(rig.sent(2).wire_target().ends_with("storage.azure.com&clientid=c"));
}

TEST_CASE("what a host cannot do is a configuration error") {
    IdentityRig rig;
    SECTION("Service Fabric") {
        rig.variables["IDENTITY_ENDPOINT"] = "https://127.0.0.1:2377";
        rig.variables["IDENTITY_HEADER"] = "h";
        rig.variables["IDENTITY_SERVER_THUMBPRINT"] = "t";
    }
    SECTION("Cloud Shell with another identity") {
        rig.variables["MSI_ENDPOINT"] = "http://127.0.0.1:1";
        rig.variables["AZURE_CLIENT_ID"] = "c";
    }
    SECTION("Azure Arc with another identity") {
        rig.variables["IDENTITY_ENDPOINT"] = "http://127.0.0.1:1";
        rig.variables["IMDS_ENDPOINT"] = "http://127.0.0.1:1";
        rig.variables["AZURE_CLIENT_ID"] = "c";
    }
    SECTION("a secret over plain http to another network") {
        rig.variables["IDENTITY_ENDPOINT"] =
            GENERATE("http://192.0.2.2/msi", "http://10.example/msi", "http://172.32.0.1/msi");
        rig.variables["IDENTITY_HEADER"] = "h";
    }
    SECTION("the same for Azure ML") {
        rig.variables["MSI_ENDPOINT"] = "http://ml.example/msi";
        rig.variables["MSI_SECRET"] = "s";
    }
    SECTION("an endpoint that is no URL") {
        rig.variables["IDENTITY_ENDPOINT"] = "nowhere";
        rig.variables["IDENTITY_HEADER"] = "h";
    }
    const auto token = rig.fetch();
    REQUIRE_FALSE(token);
    CHECK(token.error().code == ErrorCode::config);
    CHECK(rig.transport.requests.empty());
}

namespace {

struct ArcRig : LoginRig {
    Result<Token> fetch(const std::string& challenge, int status = 401) {
        auto source =
            make_arc_identity(line(), "http://127.0.0.1:40342/metadata/identity/oauth2/token", {}, dir.path());
        REQUIRE(source);
        transport.answer(token_answer(status, "", {{"WWW-Authenticate", challenge}}));
        return (*source)->fetch(kNoDeadline, {});
    }
    test::TempDir dir;
};

}  // namespace

TEST_CASE("an Arc machine proves itself with the key file that the agent names") {
    ArcRig rig;
    const std::string key = rig.dir.write("3f-1.key", "key-content\n");
    rig.transport.answer(token_answer(401, "", {{"WWW-Authenticate", "Basic realm=" + key}}));
    rig.transport.answer(token_answer(200, kStrings));
    auto source = make_arc_identity(rig.line(), {}, {}, rig.dir.path());
    REQUIRE(source);
    REQUIRE((*source)->fetch(kNoDeadline, {}));
    const auto& sent = rig.transport.requests;
    CHECK(sent.at(0).origin.to_string() + sent.at(0).wire_target() ==
          "http://127.0.0.1:40342/metadata/identity/oauth2/token?api-version=2020-06-01"
          "&resource=https%3A%2F%2Fstorage.azure.com");
    CHECK_FALSE(sent.at(0).headers.has("Authorization"));
    CHECK(sent.at(1).headers.get("Authorization") == "Basic key-content");
    // A key that the agent refuses, and an agent that is starting.
    rig.transport.answer(token_answer(401, "", {{"WWW-Authenticate", "Basic realm=" + key}}));
    rig.transport.answer(token_answer(401, R"({"error_description":"a wrong key"})"));
    const auto refused = (*source)->fetch(kNoDeadline, {});
    CHECK(refused.error().code == ErrorCode::auth);
    CHECK(refused.error().message.find("a wrong key") != std::string::npos);
    for (int i = 0; i < 3; ++i) rig.transport.answer(token_answer(503, ""));
    CHECK((*source)->fetch(kNoDeadline, {}).error().code == ErrorCode::unavailable);
}

TEST_CASE("a key of the agent is directly in its folder, and has the name of one") {
    CHECK(arc_key_file("Basic realm=/keys/3f-1.key", "/keys").value() == "/keys/3f-1.key");
    for (const char* file : {"/elsewhere/a.key", "/keys/sub/a.key", "/keys/../a.key", "/keys/a..key", "/keys/a b.key",
                             "/keys/a.key.txt", "/keysa.key", "a.key", "/keys/", ""}) {
        INFO(file);
        CHECK_FALSE(arc_key_file("Basic realm=" + std::string(file), "/keys"));
    }
}

TEST_CASE("no other file than a key of the agent is ever sent") {
    ArcRig rig;
    const std::string folder = rig.dir.path();
    rig.dir.write("a.key", std::string(4097, 'x'));
    rig.dir.write("b.txt", "MARKER");
    for (const std::string& challenge : {std::string(), std::string("Basic"), "Basic realm=" + folder + "/b.txt",
                                         "Basic realm=" + folder + "/../x.key", std::string("Basic realm=/etc/passwd"),
                                         "Basic realm=" + folder + "/a.key, Basic realm=" + folder + "/a.key",
                                         "Digest realm=" + folder + "/a.key", "Basic realm=" + folder + "/missing.key",
                                         "Basic realm=" + folder + "/a.key", "Basic realm=" + folder + "/sub/a.key",
                                         std::string("Basic realm=a.key"), "Basic realm=" + folder + "/a..key"}) {
        INFO(challenge);
        const auto token = rig.fetch(challenge);
        REQUIRE_FALSE(token);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(rig.transport.done());
    }
    CHECK(rig.fetch("Basic realm=" + folder + "/missing.key").error().hint.find("group himds") != std::string::npos);
    rig.dir.write("good.key", "key");
    CHECK_FALSE(rig.fetch("Basic realm=" + folder + "/good.key", 200));  // whoever asks for no key is not the agent
    CHECK(rig.transport.done());
}
