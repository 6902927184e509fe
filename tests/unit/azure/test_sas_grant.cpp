// azure/sas_grant: a SAS that the service takes.
#include "azure/credential.hpp"
#include "azure/sas_grant.hpp"
#include "azure/url.hpp"
#include "base/http_date.hpp"
#include "support/catch.hpp"
#include "support/fake_service.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

// Of a SAS for which another implementation has computed the signature, and that Azurite has accepted.
SasGrant published(const std::string& version) {
    SasGrant grant;
    grant.address = {"cont1", "dir/a b+c.txt", {}};
    grant.permissions = "rcw";
    grant.start = parse_iso8601("2026-01-01T00:00:00Z");
    grant.end = parse_iso8601("2029-12-31T23:59:59Z").value();
    grant.https_only = true;
    grant.version = version;
    return grant;
}

std::string signature_of(const SasGrant& grant) {
    const auto credential = Credential::shared_key(test::kFakeAccount, Secret(test::kFakeKey));
    const auto sas = credential->sign_sas(grant);
    return sas ? percent_decode(query_value(sas->reveal(), "sig").value()).value() : std::string();
}

}  // namespace

TEST_CASE("a SAS has the signature that another implementation makes, in each version's form") {
    CHECK(signature_of(published("2018-11-09")) == "1XYae7Xnsgxt7YnxtaX7B6GkjfYw5dc8i4PVnlm7sJ4=");
    CHECK(signature_of(published("2020-12-06")) == "YARMZkdRoThn3PrRZLspDlcY/xneIElSaypFqBBV/Fs=");
    CHECK(signature_of(published("2023-11-03")) == "0tqshlMqoUMFd6CizuYu4b9fCSfscLWM+L/ft4ow7QE=");
    SasGrant container = published("2023-11-03");
    container.address.blob.clear();
    container.permissions = "rl";
    CHECK(signature_of(container) == "2Fa7gIAOoBwCPaqgt99NIYSuJgFyW1rbB0ZqHrvw0Yc=");
}

TEST_CASE("the query of a SAS has what was granted, encoded once, and nothing else") {
    SasGrant grant = published("2023-11-03");
    grant.addresses = "198.51.100.7-198.51.100.9";
    const Credential key = Credential::shared_key(test::kFakeAccount, Secret(test::kFakeKey)).value();
    const std::string sas = key.sign_sas(grant)->reveal();
    CHECK(sas.substr(0, sas.find("&sig=")) ==
          "sv=2023-11-03&st=2026-01-01T00%3A00%3A00Z&se=2029-12-31T23%3A59%3A59Z&sr=b&sp=rcw"
          "&sip=198.51.100.7-198.51.100.9&spr=https");
    CHECK(sas.find_first_of("+/ \n") == std::string::npos);
    grant = {{"cont1", {}, {}}, "r", {}, grant.end};
    const std::string least = key.sign_sas(grant)->reveal();
    CHECK(least.substr(0, least.find("&sig=")) == "sv=2023-11-03&se=2029-12-31T23%3A59%3A59Z&sr=c&sp=r");
}

TEST_CASE("only an account key makes a SAS") {
    for (const Credential& other :
         {Credential::anonymous(), Credential::sas(Secret("sv=2023-11-03&sp=r&sr=c&sig=MARKER")).value()}) {
        const auto refused = other.sign_sas(published("2023-11-03"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::auth);
        CHECK(refused.error().message.find("account key") != std::string::npos);
        CHECK(refused.error().message.find("MARKER") == std::string::npos);
    }
}
