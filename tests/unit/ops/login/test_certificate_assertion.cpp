// ops/login/certificate_assertion: the assertion that a certificate signs.
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/signing_key.hpp"
#include "base/text.hpp"
#include "ops/login/certificate_assertion.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;

namespace {

struct CertificateRig : test::LoginRig {
    CertificateRig() {
        be_application();
        const std::string command =
            "cd " + dir.path() +
            " && openssl req -x509 -newkey rsa:1024 -nodes -days 2 -subj /CN=x -keyout k -out c "
            ">/dev/null 2>&1 && cat k c > both.pem";
        REQUIRE(std::system(command.c_str()) == 0);
        variables["AZURE_CLIENT_CERTIFICATE_PATH"] = dir.file("both.pem");
        const auto now = std::chrono::system_clock::now() - WallTime(1'700'000'000s);  // the certificate's time is real
        clock.step_wall(now);
    }
    // The parts of the assertion in the last request.
    [[nodiscard]] std::vector<std::string> assertion() {
        const std::string body = test::body_of(transport.requests.back());
        std::vector<std::string> out;
        const std::string jwt = body.substr(body.rfind('=') + 1);
        for (const auto part : split(jwt, '.')) out.emplace_back(part);
        return out;
    }
    [[nodiscard]] static nlohmann::json json(const std::string& part) {
        const Bytes bytes = base64url_decode(part).value();
        return nlohmann::json::parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    test::TempDir dir;
};

}  // namespace

TEST_CASE("the assertion names its certificate, its audience and its client, lives ten minutes, and is made anew") {
    CertificateRig rig;
    auto source = choose_source(rig.options());
    REQUIRE(source);
    CHECK((*source)->describe() == "client certificate (client client-1)");
    std::string first_id;
    for (int i = 0; i < 2; ++i) {
        rig.give_token();
        REQUIRE((*source)->fetch(kNoDeadline, {}));
        const auto parts = rig.assertion();
        REQUIRE(parts.size() == 3);
        const auto header = CertificateRig::json(parts[0]);
        const auto claims = CertificateRig::json(parts[1]);
        CHECK(header.at("alg") == "PS256");
        CHECK(header.at("typ") == "JWT");
        CHECK(header.at("x5t#S256").get<std::string>().size() == 43);
        CHECK_FALSE(header.contains("x5c"));
        CHECK(claims.at("aud") == "https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token");
        CHECK(claims.at("iss") == "client-1");
        CHECK(claims.at("sub") == "client-1");
        CHECK(claims.at("exp").get<std::int64_t>() - claims.at("nbf").get<std::int64_t>() == 600);
        CHECK(claims.at("jti") != first_id);
        first_id = claims.at("jti");
        CHECK(base64url_decode(parts[2])->size() == 128);
    }
}

TEST_CASE("the whole chain goes along if it is wanted, the certificate of the key first") {
    CertificateRig rig;
    const std::string command =
        "cd " + rig.dir.path() +
        " && openssl req -x509 -newkey rsa:1024 -nodes -days 2 -subj /CN=y -keyout k2 -out c2 >/dev/null 2>&1"
        " && cat c2 k c > both.pem";
    REQUIRE(std::system(command.c_str()) == 0);
    rig.variables["AZURE_CLIENT_SEND_CERTIFICATE_CHAIN"] = "true";
    rig.give_token();
    REQUIRE(rig.fetch("certificate"));
    const auto header = CertificateRig::json(rig.assertion()[0]);
    REQUIRE(header.at("x5c").size() == 2);
    const auto own = base64_decode(header.at("x5c")[0].get<std::string>());
    REQUIRE(own);
    CHECK(header.at("x5t#S256") == base64url_encode(sha256(*own)));
    rig.variables["AZURE_CLIENT_SEND_CERTIFICATE_CHAIN"] = "MARKER";
    const auto token = rig.fetch("certificate");
    REQUIRE_FALSE(token);
    CHECK(token.error().code == ErrorCode::config);
    CHECK(token.error().message == "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN is neither 1 nor 0");
}

TEST_CASE("a certificate that has ended, is missing or is locked is told before anything is sent") {
    CertificateRig rig;
    const auto says = [&](const char* part) {
        const auto token = rig.fetch();
        REQUIRE_FALSE(token);
        INFO(token.error().message);
        CHECK(token.error().code == ErrorCode::auth);
        CHECK(token.error().message.find(part) != std::string::npos);
        CHECK(rig.transport.requests.empty());
    };
    rig.clock.step_wall(49h);
    says("ended at");
    rig.clock.step_wall(-49h);
    rig.variables["AZURE_CLIENT_CERTIFICATE_PATH"] = rig.dir.file("nothing");
    says("AZURE_CLIENT_CERTIFICATE_PATH: cannot open");
    rig.variables["AZURE_CLIENT_CERTIFICATE_PATH"] = rig.dir.file("c");
    says("private key");
}

TEST_CASE("the passphrase comes from a variable or from a file") {
    CertificateRig rig;
    const std::string command =
        "cd " + rig.dir.path() +
        " && openssl pkcs12 -export -inkey k -in c -passout pass:hush -out both.pfx >/dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    rig.variables["AZURE_CLIENT_CERTIFICATE_PATH"] = rig.dir.file("both.pfx");
    CHECK_FALSE(rig.fetch());
    rig.variables["AZURE_CLIENT_CERTIFICATE_PASSWORD_FILE"] = rig.dir.write("passphrase", "hush\nanother line\n");
    rig.give_token();
    CHECK(rig.fetch());
    rig.variables["AZURE_CLIENT_CERTIFICATE_PASSWORD"] = "wrong";
    CHECK_FALSE(rig.fetch());
}
