// doctor, as a user types it. Name and connection are real: a socket of the test listens.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file.hpp"
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

// Takes connections and never answers.
struct Listener {
    Listener() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(fd.get(), 8) == 0);
        REQUIRE(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port = ntohs(address.sin_port);
    }
    Fd fd;
    int port = 0;
};

struct DoctorRig : CommandRig {
    DoctorRig() : CommandRig(Time::real) { serve_at("http://127.0.0.1:" + std::to_string(listener.port)); }
    Listener listener;
};

}  // namespace

TEST_CASE("doctor goes through all checks") {
    DoctorRig rig;
    SECTION("text") {
        const Ran ran = rig.run({"doctor", "box"});
        INFO(ran.out);
        CHECK(ran.code == 0);
        for (const char* check : {"configuration", "resolve", "connect", "service", "credential", "read", "write"}) {
            CAPTURE(check);
            CHECK(ran.out.find(check) != std::string::npos);
        }
    }
    SECTION("JSON") {
        const auto json = rig.run_json({"doctor", "box"}).json();
        CHECK(json.at("ok") == true);
        CHECK(json.at("target") == "box");
        CHECK(json.at("clock_ahead_seconds").is_number());
        std::vector<std::string> names;
        for (const auto& check : json.at("checks")) {
            CAPTURE(check.dump());
            names.push_back(check.at("check"));
            CHECK(check.size() == 4);
            CHECK(check.at("outcome") == "ok");
            CHECK(!check.at("detail").get<std::string>().empty());
            CHECK(check.at("error").is_null());
        }
        CHECK(names == std::vector<std::string>{"configuration", "proxy", "resolve", "connect", "tls", "service",
                                                "clock", "api_version", "credential", "read", "list", "write", "lease",
                                                "delete", "create_container"});
    }
    SECTION("--write tries with a blob, and removes it") {
        CHECK(rig.run({"doctor", "box", "--write"}).code == 0);
        CHECK(rig.run({"list", "box"}).out.empty());
    }
}

TEST_CASE("doctor reads the SAS in use") {
    DoctorRig rig;
    const Ran made = rig.run(
        {"sas", "box", "--permissions", "rl", "--start", "2020-01-01", "--expires", "2100-01-01", "--ip", "127.0.0.1"});
    REQUIRE(made.code == 0);
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING",
                        "BlobEndpoint=http://127.0.0.1:" + std::to_string(rig.listener.port) + "/" + kRigAccount +
                            ";SharedAccessSignature=" + made.out.substr(0, made.out.size() - 1));
    const Ran ran = rig.run_json({"doctor", "box", "--need", "read,list"});
    CHECK(ran.code == 0);
    const auto json = ran.json();
    CHECK(json.at("sas").dump() ==
          R"({"kind":"service SAS of a container","permissions":"rl","resource_types":null,"policy":null,)"
          R"("start":"2020-01-01T00:00:00Z","expires":"2100-01-01T00:00:00Z","ip":"127.0.0.1","https_only":false})");
    std::string credential;
    std::string write;
    for (const auto& check : json.at("checks")) {
        if (check.at("check") == "credential") credential = check.at("detail");
        if (check.at("check") == "write") write = check.at("detail");
    }
    const std::string wanted =
        "service SAS of a container, from AZURE_STORAGE_CONNECTION_STRING; permissions rl; "
        "starts 2020-01-01T00:00:00Z; expires 2100-01-01T00:00:00Z (in ";
    CHECK(credential.substr(0, wanted.size()) == wanted);
    CHECK(credential.find("); only from 127.0.0.1") != std::string::npos);
    CHECK(write.find("the SAS permits rl; this needs c or w") != std::string::npos);
    CHECK(ran.out.find("sig=") == std::string::npos);
    rig.serve_at("http://127.0.0.1:" + std::to_string(rig.listener.port));
    CHECK(rig.run_json({"doctor", "box"}).json().at("sas").is_null());
}

TEST_CASE("doctor names the source that gave the token, and not those that it looked for besides") {
    DoctorRig rig;
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
    rig.environment.set("AZURE_STORAGE_SERVICE_ENDPOINT",
                        "http://127.0.0.1:" + std::to_string(rig.listener.port) + "/" + kRigAccount);
    http::Response token;
    token.status = 200;
    token.body = std::string(R"({"expires_in":"3600","access_token":")") + kRigToken + "\"}";
    rig.faulty.on([](const http::Request& request) { return request.origin.host == "169.254.169.254"; }, "IMDS")
        .from(1)
        .return_response(token);
    const auto json = rig.run_json({"doctor", "box"}).json();
    const auto& login = json.at("login");
    CHECK(login.at("source") == "managed identity");
    CHECK(login.at("tenant").is_null());
    CHECK(login.at("expires").is_string());
    CHECK(login.at("last_renewal").is_null());
    std::string credential;
    for (const auto& check : json.at("checks")) {
        if (check.at("check") == "credential") credential = check.at("detail");
    }
    CHECK(credential.starts_with("login by managed identity; the token ends at "));
    rig.serve_at("http://127.0.0.1:" + std::to_string(rig.listener.port));
    CHECK(rig.run_json({"doctor", "box"}).json().at("login").is_null());
}

TEST_CASE("doctor's exit code is that of the first check that failed") {
    DoctorRig rig;
    SECTION("the credential is refused: 77") {
        rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
        const Ran ran = rig.run_json({"doctor", "box"});
        CHECK(ran.code == 77);
        const auto json = ran.json();
        CHECK(json.at("ok") == false);
        const auto& last = json.at("checks").back();
        CHECK(last.at("check") == "credential");
        CHECK(last.at("outcome") == "failed");
        CHECK(last.at("error").at("code") == "auth");
        CHECK(last.at("error").at("service_code") == "AuthenticationFailed");
    }
    SECTION("the container does not exist: 79") {
        CHECK(rig.run({"doctor", "nowhere"}).code == 79);
    }
    SECTION("nobody listens: 69") {
        const int port = rig.listener.port;
        rig.listener.fd.reset();
        rig.serve_at("http://127.0.0.1:" + std::to_string(port));
        const Ran ran = rig.run({"doctor", "box"});
        CHECK(ran.code == 69);
        CHECK(ran.out.find("failed   connect") != std::string::npos);
    }
    SECTION("no account: 78") {
        rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
        CHECK(rig.run({"doctor", "box"}).code == 78);
    }
    SECTION("an unknown permission: 64") {
        check_failure(rig, {"doctor", "box", "--need", "everything"}, 64, "usage");
    }
}

}  // namespace azlock::test
