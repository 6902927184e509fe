// azure/sas: what a SAS says of itself.
#include "azure/credential.hpp"
#include "base/http_date.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;
using Kind = SasTerms::Kind;

TEST_CASE("a SAS tells its kind and terms") {
    const SasTerms service =
        read_sas("sv=2023-11-03&st=2026-01-01T00%3A00%3A00Z&se=2029-12-31&sr=c&sp=rl&sip=198.51.100.7&spr=https&sig=x");
    CHECK(service.kind == Kind::service);
    CHECK(describe_kind(service) == "service SAS of a container");
    CHECK(service.permissions == "rl");
    CHECK(service.start == parse_iso8601("2026-01-01"));
    CHECK(service.end == parse_iso8601("2029-12-31"));
    CHECK(service.addresses == "198.51.100.7");
    CHECK(service.https_only);
    const SasTerms account = read_sas("sv=2023-11-03&ss=bf&srt=sco&sp=rwl&se=2029-12-31T08%3A00Z&spr=https,http&sig=x");
    CHECK(account.kind == Kind::account);
    CHECK(describe_kind(account) == "account SAS");
    CHECK(account.services == "bf");
    CHECK(account.resource_types == "sco");
    CHECK(account.end == parse_iso8601("2029-12-31T08:00:00Z"));
    CHECK_FALSE(account.start);
    CHECK_FALSE(account.https_only);
    const SasTerms user = read_sas("sv=2023-11-03&skoid=a&sktid=b&ske=2029-12-30&sr=b&sp=r&se=2029-12-31&sig=x");
    CHECK(describe_kind(user) == "user delegation SAS of a blob");
    CHECK(user.end == parse_iso8601("2029-12-30"));
    CHECK(read_sas("skoid=a&ske=2029-12-30&sr=b&sig=x").end == parse_iso8601("2029-12-30"));
    CHECK(read_sas("sr=b&se=soon&st=%zz&si=readers&sig=x").policy == "readers");
    CHECK_FALSE(read_sas("sr=b&se=soon&st=%zz&sig=x").end);
    CHECK_FALSE(read_sas("sr=b&se=soon&st=%zz&sig=x").start);
}

TEST_CASE("a SAS is known not to permit a letter only if no stored policy can add it") {
    const SasTerms sas = read_sas("sr=c&sp=rl&sig=x");
    CHECK(sas.may_permit("r"));
    CHECK(sas.may_permit("wl"));
    CHECK_FALSE(sas.may_permit("cw"));
    CHECK(read_sas("sr=c&sp=rl&si=p&sig=x").may_permit("w"));
    CHECK(read_sas("sr=c&sig=x").may_permit("w"));
}

TEST_CASE("only a SAS has terms") {
    CHECK_FALSE(Credential::anonymous().sas_terms());
    CHECK_FALSE(Credential::shared_key("acct", Secret("TUFSS0VS"))->sas_terms());
    CHECK(Credential::sas(Secret("?sv=2023-11-03&sp=rl&sig=x"))->sas_terms()->permissions == "rl");
}
