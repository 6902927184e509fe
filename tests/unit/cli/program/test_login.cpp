// Commands that log in with Entra ID: which token they send, and what they say without one.
#include <sys/stat.h>

#include "http/transport_error.hpp"
#include "unit/cli/login_command_rig.hpp"

namespace azlock::test {
TEST_CASE("a command logs in where no key is set, and uses one token for all its requests") {
    LoginCommandRig rig;
    rig.give({token_of(kRigToken)});
    const std::string copy = rig.dir.file("copy");
    const Ran told = rig.run({"download", "box/data", copy, "-vv"});
    INFO(told.err);
    CHECK(told.code == 0);
    CHECK(rig.asked == 1);
    CHECK(told.err.find("got a token that ends in 59 min 59 s") != std::string::npos);
    CHECK(told.err.find(kRigToken) == std::string::npos);
    CHECK(told.err.find("MARKER") == std::string::npos);
    CHECK(rig.run({"list", "box"}).code == 0);
}

TEST_CASE("a token that the service does not accept is replaced once, and then it is the credential: 77") {
    LoginCommandRig rig;
    SECTION("the second one is accepted") {
        rig.give({token_of("ey.old.token"), token_of(kRigToken)});
        CHECK(rig.run({"--retries", "0", "show", "box/data"}).code == 0);
        CHECK(rig.asked == 2);
    }
    SECTION("none is accepted") {
        rig.give({token_of("ey.old.token")});
        check_failure(rig, {"show", "box/data"}, 77, "auth");
        CHECK(rig.asked == 2);
    }
}

TEST_CASE("the limits --retries and --try-timeout bound a token request") {
    LoginCommandRig rig;
    std::vector<Deadline> deadlines;
    rig.faulty.on(is_token_request, "a token request").from(1).with("stall", [&](const FaultCall& call) {
        deadlines.push_back(call.deadline);
        return Result<http::Response>(fail(http::timeout_error("no answer")));
    });
    const BootTime start = rig.clock().now();
    CHECK(rig.run({"--retries", "0", "--try-timeout", "2s", "show", "box/data"}).code == 69);
    CHECK(deadlines == std::vector<Deadline>{start + std::chrono::seconds(2)});
}

TEST_CASE("a key goes before a login, unless the login is asked for") {
    LoginCommandRig rig;
    rig.serve_at("http://127.0.0.1:10000");
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.asked == 0);
    rig.give({token_of(kRigToken)});
    CHECK(rig.run({"--auth-mode", "login", "show", "box/data"}).code == 0);
    CHECK(rig.run({"--credential", "secret", "show", "box/data"}).code == 0);
    rig.environment.set("AZURE_STORAGE_AUTH_MODE", "login");
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.asked == 3);
}

TEST_CASE("azlocks share a token if they are told to, and only then") {
    LoginCommandRig rig;
    rig.give({token_of(kRigToken)});
    rig.environment.set("XDG_RUNTIME_DIR", rig.dir.path());
    ::chmod(rig.dir.path().c_str(), 0700);
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.asked == 2);
    CHECK(::access(rig.dir.file("azlock").c_str(), F_OK) != 0);
    CHECK(rig.run({"show", "box/data", "--token-cache"}).code == 0);
    CHECK(rig.asked == 3);
    const Ran second = rig.run({"show", "box/data", "--token-cache", "-v"});
    CHECK(second.code == 0);
    CHECK(second.err.find("took a token from the cache that ends in ") != std::string::npos);
    rig.environment.set("AZLOCK_TOKEN_CACHE", "1");
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.asked == 3);
    rig.environment.set("AZLOCK_TOKEN_CACHE", "0");
    CHECK(rig.run({"show", "box/data"}).code == 0);
    CHECK(rig.asked == 4);
}

TEST_CASE("a token of the cache that the service refuses is replaced for all") {
    LoginCommandRig rig;
    rig.give({token_of("ey.old.token"), token_of("ey.old.token"), token_of(kRigToken)});
    rig.environment.set("XDG_RUNTIME_DIR", rig.dir.path());
    ::chmod(rig.dir.path().c_str(), 0700);
    CHECK(rig.run({"show", "box/data", "--token-cache"}).code == 77);
    CHECK(rig.asked == 2);
    CHECK(rig.run({"show", "box/data", "--token-cache"}).code == 0);
    CHECK(rig.asked == 3);
    CHECK(rig.run({"show", "box/data", "--token-cache"}).code == 0);
    CHECK(rig.asked == 3);
}

TEST_CASE("a token cache that cannot be used is 78, and a command without a login does not look at it") {
    LoginCommandRig rig;
    check_failure(rig, {"show", "box/data", "--token-cache"}, 78, "config");
    check_failure_text(rig, {"show", "box/data", "--token-cache"}, 78, "XDG_RUNTIME_DIR is not set");
    rig.environment.set("AZLOCK_TOKEN_CACHE", "MARKER");
    check_failure_text(rig, {"show", "box/data"}, 78, "AZLOCK_TOKEN_CACHE is neither 1 nor 0");
    rig.environment.set("AZLOCK_TOKEN_CACHE", "");
    rig.serve_at("http://127.0.0.1:10000");
    CHECK(rig.run({"show", "box/data", "--token-cache"}).code == 0);
}

TEST_CASE("without any credential nothing is sent, and the error says what was looked for: 77") {
    LoginCommandRig rig;
    rig.environment.set("AZURE_TOKEN_CREDENTIALS", "WorkloadIdentityCredential");
    check_failure(rig, {"show", "box/data"}, 77, "auth");
    check_failure_text(rig, {"show", "box/data"}, 77, "AZURE_FEDERATED_TOKEN_FILE is not set");
    check_failure(rig, {"--auth-mode", "key", "show", "box/data"}, 77, "auth");
    check_failure(rig, {"--auth-mode", "sas", "show", "box/data"}, 77, "auth");
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a secret that is refused is told with the endpoint's reason: 77") {
    LoginCommandRig rig;
    http::Response refusal;
    refusal.status = 401;
    refusal.body = R"({"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret"})";
    rig.give({refusal});
    check_failure_text(rig, {"show", "box/data"}, 77, "AADSTS7000215: Invalid client secret");
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::test
