// sas with a login: the SAS is signed with a key that the service gives.
#include "support/scripted_transport.hpp"
#include "unit/cli/login_command_rig.hpp"

namespace azlock::test {
namespace {

constexpr const char* kKeyRequest = "Get User Delegation Key";

struct SasLoginRig : LoginCommandRig {
    SasLoginRig() { give({token_of(kRigToken)}); }

    nlohmann::ordered_json make(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "sas");
        const Ran ran = run_json(arguments);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return ran.json();
    }
    // What another azlock gets that only has this SAS.
    Ran run_with(const std::string& sas, std::vector<std::string> arguments) {
        environment.set("AZURE_STORAGE_SAS_TOKEN", sas);
        const Ran ran = run(std::move(arguments));
        environment.set("AZURE_STORAGE_SAS_TOKEN", "");
        return ran;
    }
    // The service gives a key that ends then.
    void give_key_until(const std::string& end) {
        http::Response out = service_answer(200);
        out.body =
            "<UserDelegationKey><SignedOid>o</SignedOid><SignedTid>t</SignedTid><SignedStart>s</SignedStart>"
            "<SignedExpiry>" +
            end +
            "</SignedExpiry><SignedService>b</SignedService><SignedVersion>v</SignedVersion>"
            "<Value>SFVTSA==</Value></UserDelegationKey>";
        faulty.on(operation(kKeyRequest)).from(1).return_response(out);
    }
};

}  // namespace

TEST_CASE("sas with a login makes a SAS that reads this blob for an hour, and nothing else") {
    SasLoginRig rig;
    rig.service.put("box", "other", "content");
    const auto json = rig.make({"box/data"});
    CHECK(json.at("kind") == "user delegation SAS of a blob");
    CHECK(json.at("permissions") == "r");
    CHECK(json.at("expires") == "2023-11-14T23:13:20Z");
    CHECK(rig.service.operations() == std::vector<std::string>{kKeyRequest});
    const std::string sas = json.at("sas");
    CHECK(sas.find("&skt=2023-11-14T22%3A08%3A20Z&ske=2023-11-14T23%3A13%3A20Z&sks=b&") != std::string::npos);
    CHECK(rig.run_with(sas, {"download", "box/data", "-"}).out == "content");
    CHECK(rig.run_with(sas, {"show", "box/other"}).code == 77);
    CHECK(rig.run_with(sas, {"delete", "box/data"}).code == 77);
    rig.fake_clock.advance(std::chrono::minutes(60));
    CHECK(rig.run_with(sas, {"show", "box/data"}).err.find("the SAS ended at") != std::string::npos);
}

TEST_CASE("sas with a login works for a container, in each version's form, and as a URL") {
    SasLoginRig rig;
    for (const char* version : {"2018-11-09", "2020-02-10", "2020-12-06", "2023-11-03", "2025-07-05"}) {
        CAPTURE(version);
        const auto json = rig.make({"box", "--permissions", "lr", "--api-version", version});
        CHECK(rig.run_with(json.at("sas"), {"list", "box"}).out.find("data") != std::string::npos);
    }
    rig.environment.set("AZURE_STORAGE_SERVICE_ENDPOINT", "");
    const std::string url = std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/data";
    CHECK(rig.run({"download", rig.make({url}).at("url"), "-"}).out == "content");
}

TEST_CASE("a SAS of a login lasts seven days at most: 64 beyond, and nothing is sent") {
    SasLoginRig rig;
    CHECK(rig.make({"box", "--for", "7d"}).at("expires") == "2023-11-21T22:13:20Z");
    CHECK(rig.make({"box", "--start", "2023-11-20", "--expires", "2023-11-21"}).at("start") == "2023-11-20T00:00:00Z");
    rig.service.clear_log();
    check_failure_text(rig, {"sas", "box", "--for", "169h"}, 64, "lasts 7 days at most, until 2023-11-21T22:13:20Z");
    check_failure_text(rig, {"sas", "box", "--expires", "2023-11-22"}, 64, "7 days at most");
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("a SAS ends with the key that signs it, and says so") {
    SasLoginRig rig;
    rig.give_key_until("2023-11-14T22:20:00Z");
    CHECK(rig.make({"box", "--for", "1d"}).at("expires") == "2023-11-14T22:20:00Z");
}

TEST_CASE("a key that has ended, and an answer that is none, make no SAS") {
    SasLoginRig rig;
    rig.give_key_until(GENERATE("2023-11-14T22:13:20Z", "tomorrow", ""));
    check_failure(rig, {"sas", "box"}, 69, "unavailable");
}

TEST_CASE("a login without the role is told which one makes a SAS: 77") {
    SasLoginRig rig;
    rig.faulty.on(operation(kKeyRequest)).from(1).return_status(403, "AuthorizationPermissionMismatch");
    check_failure(rig, {"sas", "box"}, 77, "auth");
    check_failure_text(rig, {"sas", "box"}, 77, "Storage Blob Delegator at the storage account");
}

TEST_CASE("the request for the key is repeated if its answer is lost") {
    SasLoginRig rig;
    rig.faulty.on(operation(kKeyRequest)).nth(1).drop_reply();
    CHECK(rig.make({"box"}).at("kind") == "user delegation SAS of a container");
    CHECK(rig.service.requests(kKeyRequest) == 2);
}

}  // namespace azlock::test
