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

UserKey published_key() {
    const auto key = base64_decode("eELLQjS7lsiQqY7UCHs5eFVD3fPNg0yzqQW4b7ZnBoY=").value();
    return {"23657296-5cd5-45b0-a809-d972a7f4dfe1",
            "ab1f708d-50f6-404c-a006-d71b2ac7a606",
            "2026-01-01T00:00:00Z",
            "2030-01-02T00:00:00Z",
            "b",
            "2025-11-05",
            Secret(std::string(reinterpret_cast<const char*>(key.data()), key.size())),
            {}};
}

std::string signature_by_user(const SasGrant& grant) {
    const Secret sas = signed_sas(grant, test::kFakeAccount, published_key());
    return percent_decode(query_value(sas.reveal(), "sig").value()).value();
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

TEST_CASE("a user delegation SAS has the signature that another implementation makes, in each version's form") {
    const std::pair<const char*, const char*> vectors[] = {
        {"2018-11-09", "TwpKwAKciIIPfRZ3bi7Usu8fdy9UXFEsV1t1cw9gb8k="},
        {"2020-02-10", "ti/KpGARl84meSOkSxYAReiDYoJNLJYDPhgWQL5Rbto="},
        {"2020-12-06", "N0GEHVQJHkQSZFQLWvGlvBkN/jAur/Md79M8XDTqaqM="},
        {"2023-11-03", "F/aa8DDK+hRQ3TavgHAr9JiPjfQ0KU/ZA7ApQx5evFY="},
        {"2025-07-05", "DrYSpAPCoj74UupDo+GaP/Nt9ftwLftbaZ9VeJS3kHM="},
        {"2025-11-05", "skvQsEH3lbeidMd6Qobb+5hqLCSE0qZllmwU04gvBBI="},
        {"2026-02-06", "ONHuBY6sbmUcFueGXeOlL6IXF+w10jFk2e37YPmuxnc="},
        {"2026-04-06", "CTcqbWJ5aI5Cta9osa03UnX2I9wW3XGowzoceDF0h9E="}};
    for (const auto& [version, signature] : vectors) {
        CAPTURE(version);
        CHECK(signature_by_user(published(version)) == signature);
    }
    SasGrant container = published("2023-11-03");
    container.address.blob.clear();
    container.permissions = "rl";
    CHECK(signature_by_user(container) == "Y9ljzXHp4eMz5b7O+DRe5RrjbYFnacmZRLjpaeNiC8Y=");
}

TEST_CASE("a user delegation SAS names its key, so that the service finds it, and does not hold it") {
    const UserKey user = published_key();
    const std::string sas = signed_sas({{"cont1", {}, {}}, "r", {}, published("").end}, "acct", user).reveal();
    CHECK(sas.substr(0, sas.find("&sig=")) ==
          "sv=2023-11-03&se=2029-12-31T23%3A59%3A59Z&sr=c&sp=r&skoid=23657296-5cd5-45b0-a809-d972a7f4dfe1"
          "&sktid=ab1f708d-50f6-404c-a006-d71b2ac7a606&skt=2026-01-01T00%3A00%3A00Z&ske=2030-01-02T00%3A00%3A00Z"
          "&sks=b&skv=2025-11-05");
    CHECK(sas.find("eELLQ") == std::string::npos);
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

TEST_CASE("a SAS or nothing makes no SAS") {
    for (const Credential& other :
         {Credential::anonymous(), Credential::sas(Secret("sv=2023-11-03&sp=r&sr=c&sig=MARKER")).value()}) {
        const auto refused = other.sign_sas(published("2023-11-03"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::auth);
        CHECK(refused.error().message.find("account key") != std::string::npos);
        CHECK(refused.error().message.find("MARKER") == std::string::npos);
    }
}
