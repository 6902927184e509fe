// azure/credential: key, SAS or nothing; a secret is visible only in the request.
#include "azure/credential.hpp"
#include "azure/service_error.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

constexpr const char* kKey = "TUFSS0VSTUFSS0VS";  // Base64 of kDecodedKey
constexpr const char* kDecodedKey = "MARKERMARKER";
constexpr const char* kSas = "sv=2023-11-03&sp=rw&sig=MARKER%2Bx%3D";

const Endpoint kRemote{{false, "10.1.2.3", 10000}, "/acct", "acct"};

http::Request a_request() {
    http::Request request;
    request.origin = {true, "acct.blob.test", 443};
    request.path = "/box/b";
    request.query = {{"comp", "list"}};
    request.headers.set("x-ms-version", "2023-11-03");
    return request;
}

bool shows_secret(const std::string& text) {
    return text.find(kKey) != std::string::npos || text.find("MARKER") != std::string::npos;
}

}  // namespace

TEST_CASE("a key signs, a SAS joins the query, nobody does nothing") {
    auto request = a_request();
    CHECK(Credential::anonymous().authorize(request));
    CHECK_FALSE(request.headers.has("Authorization"));
    CHECK(request.wire_target() == "/box/b?comp=list");
    CHECK(Credential::anonymous().string_to_sign(request).empty());

    const auto key = Credential::shared_key("acct", Secret(kKey));
    REQUIRE(key);
    CHECK(key->authorize(request));
    CHECK(request.headers.get("Authorization").substr(0, 15) == "SharedKey acct:");
    CHECK(request.wire_target() == "/box/b?comp=list");

    for (const std::string& text : {std::string(kSas), "?" + std::string(kSas), " " + std::string(kSas) + "\n"}) {
        auto with_sas = a_request();
        const auto sas = Credential::sas(Secret(text));
        REQUIRE(sas);
        CHECK(sas->authorize(with_sas));
        CHECK_FALSE(with_sas.headers.has("Authorization"));
        CHECK(with_sas.wire_target() == "/box/b?comp=list&" + std::string(kSas));
        CHECK(sas->string_to_sign(with_sas).empty());
    }
}

TEST_CASE("no credential shows its secret in its description, its string-to-sign or the loggable target") {
    for (const auto& credential : {Result<Credential>(Credential::anonymous()),
                                   Credential::shared_key("acct", Secret(kKey)), Credential::sas(Secret(kSas))}) {
        REQUIRE(credential);
        auto request = a_request();
        CHECK(credential->authorize(request));
        CHECK_FALSE(shows_secret(credential->describe()));
        CHECK_FALSE(shows_secret(credential->string_to_sign(request)));
        CHECK_FALSE(shows_secret(request.loggable_target()));
        Operation op;
        op.request = request;
        const Error error = malformed_answer(op, {}, "x");
        CHECK_FALSE(shows_secret(error.message + error.hint + error.target));
    }
    CHECK(Credential::anonymous().describe() == "anonymous");
    CHECK(Credential::shared_key("acct", Secret(kKey))->describe() == "account key of acct");
    CHECK(Credential::sas(Secret(kSas))->describe() == "SAS");
}

TEST_CASE("keys and SAS that cannot be used are refused without showing them") {
    struct Case {
        Result<Credential> result;
        const char* says;
    };
    for (const Case& c : {
             Case{Credential::shared_key("", Secret(kKey)), "account name"},
             Case{Credential::shared_key("a\nb", Secret(kKey)), "account name"},
             Case{Credential::shared_key("acct", Secret("")), "empty"},
             Case{Credential::shared_key("acct", Secret(" \n")), "empty"},
             Case{Credential::shared_key("acct", Secret("MARKER!")), "Base64"},
             Case{Credential::shared_key("acct", Secret("MARKER")), "Base64"},
             Case{Credential::sas(Secret("")), "signature"},
             Case{Credential::sas(Secret("MARKER")), "signature"},
             Case{Credential::shared_key("acct", Secret("REDACTED")), "was removed"},
             Case{Credential::shared_key("acct", Secret("***")), "was removed"},
             Case{Credential::shared_key("acct", Secret("'TUFSS0VSTUFSS0VS'")), "quotation mark"},
             Case{Credential::sas(Secret("'sv=1&sig=MARKER'")), "quotation mark"},
             Case{Credential::sas(Secret("sv=MARKER&sig=REDACTED")), "was removed"},
             Case{Credential::sas(Secret("sv=MARKER&sig=redacted&sp=r")), "was removed"},
             Case{Credential::sas(Secret("https://acct.blob.test/box?sv=1&sig=MARKER")), "a whole URL"},
             Case{Credential::sas(Secret("sv=MARKER&sig=***")), "was removed"},
             Case{Credential::sas(Secret("sv=MARKER&sig=")), "signature"},
             Case{Credential::sas(Secret("sig=MARKER x")), "character"},
             Case{Credential::sas(Secret("sig=MARKER\nHost: x")), "character"},
             Case{Credential::sas(Secret("sig=MARKER#")), "character"},
             Case{Credential::sas(Secret("sig=MARKER\xC3\xA9")), "character"},
         }) {
        REQUIRE_FALSE(c.result);
        const Error& error = c.result.error();
        INFO(error.message);
        CHECK(error.code == ErrorCode::config);
        CHECK(error.message.find(c.says) != std::string::npos);
        CHECK_FALSE(shows_secret(error.message + error.hint));
    }
    CHECK(Credential::shared_key("acct", Secret(std::string(" ") + kKey + "\n")));  // as a file gives it
}

TEST_CASE("a secret goes over plain http to this machine only") {
    const auto key = *Credential::shared_key("acct", Secret(kKey));
    const auto sas = *Credential::sas(Secret(kSas));
    for (const Credential& credential : {key, sas}) {
        const auto refused = check_transport_security(kRemote, credential, false);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::config);
        CHECK(refused.error().message.find("10.1.2.3:10000") != std::string::npos);
        CHECK(refused.error().hint.find("--allow-insecure-http") != std::string::npos);
        CHECK_FALSE(shows_secret(refused.error().message + refused.error().hint));
        CHECK(check_transport_security(kRemote, credential, true));
        Endpoint endpoint = kRemote;
        endpoint.origin.tls = true;
        CHECK(check_transport_security(endpoint, credential, false));
        endpoint.origin.tls = false;
        for (const char* host : {"127.0.0.1", "::1", "localhost"}) {
            endpoint.origin.host = host;
            CHECK(check_transport_security(endpoint, credential, false));
        }
    }
    CHECK(check_transport_security(kRemote, Credential::anonymous(), false));
}

TEST_CASE("the signature is made with the decoded key") {
    auto request = a_request();
    CHECK(Credential::shared_key("acct", Secret(kKey))->authorize(request));
    const std::string with_key(request.headers.get("Authorization"));
    CHECK(Credential::shared_key("acct", Secret(base64_encode(as_bytes(std::string(kDecodedKey) + "x"))))
              ->authorize(request));
    CHECK(request.headers.get("Authorization") != with_key);
    CHECK(Credential::shared_key("acct", Secret(base64_encode(as_bytes(kDecodedKey))))->authorize(request));
    CHECK(request.headers.get("Authorization") == with_key);
}
