// The levels of account settings are merged, and a secret stays with the account it belongs to.
#include <random>

#include "cli/settings/settings.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

// Base64 of texts that name the owner.
const std::string kKeyA = "a2V5LW9mLWFhYQ==";
const std::string kKeyB = "a2V5LW9mLWJiYg==";
const std::string kSas = "sv=2023&sig=c2VjcmV0";

AccountLevel account(const std::string& name, const std::string& key = {}) {
    AccountLevel level;
    level.account = name;
    level.key = Secret(key);
    return level;
}
AccountLevel key_only(const std::string& key) {
    return account({}, key);
}
AccountLevel endpoint_only(const std::string& url) {
    AccountLevel level;
    level.endpoint = url;
    return level;
}
AccountLevel connection(const std::string& name, const std::string& key) {
    AccountLevel level;
    level.connection_string = "AccountName=" + name + ";AccountKey=" + key;
    return level;
}

Settings merged(const std::vector<AccountLevel>& levels) {
    Settings settings;
    const auto ok = merge_account(levels, settings);
    REQUIRE(ok);
    return settings;
}

std::string host(const Settings& settings) {
    return settings.endpoint ? settings.endpoint->origin.host : "";
}

}  // namespace

TEST_CASE("without any level there is no account") {
    const Settings s = merged({{}, {}, {}});
    CHECK(s.account.empty());
    CHECK(s.key.empty());
    CHECK(!s.endpoint);
}

TEST_CASE("a higher level's account and key win") {
    const Settings s = merged({account("aaa", kKeyA), account("bbb", kKeyB)});
    CHECK(s.account == "aaa");
    CHECK(s.key.reveal() == kKeyA);
    CHECK(host(s) == "aaa.blob.core.windows.net");
}

TEST_CASE("a lower level fills what is open, where it is about the same account") {
    CHECK(merged({account("aaa"), account("aaa", kKeyA)}).key.reveal() == kKeyA);
    CHECK(merged({account("aaa"), key_only(kKeyA)}).key.reveal() == kKeyA);
    CHECK(merged({key_only(kKeyA), account("aaa", kKeyB)}).key.reveal() == kKeyA);
    CHECK(merged({key_only(kKeyA), account("aaa", kKeyB)}).account == "aaa");
    const Settings s = merged({account("aaa"), connection("aaa", kKeyA)});
    CHECK(s.key.reveal() == kKeyA);
    CHECK(s.endpoint->account == "aaa");
}

TEST_CASE("a lower level about another account gives nothing") {
    for (const AccountLevel& lower : {account("bbb", kKeyB), connection("bbb", kKeyB)}) {
        const Settings s = merged({account("aaa"), lower});
        CHECK(s.account == "aaa");
        CHECK(s.key.empty());
        CHECK(s.sas.empty());
        CHECK(host(s) == "aaa.blob.core.windows.net");
    }
}

TEST_CASE("a connection string is one piece: another key of unknown account at its level does not part it") {
    AccountLevel level = connection("bbb", kKeyB);
    level.key = Secret(kKeyA);
    const Settings s = merged({level});
    CHECK(s.account == "bbb");
    CHECK(s.key.reveal() == kKeyB);
}

TEST_CASE("an account named beside a connection string decides which of the two counts") {
    AccountLevel level = connection("bbb", kKeyB);
    level.account = "aaa";
    level.key = Secret(kKeyA);
    const Settings s = merged({level});
    CHECK(s.account == "aaa");
    CHECK(s.key.reveal() == kKeyA);
    CHECK(host(s) == "aaa.blob.core.windows.net");
}

TEST_CASE("a SAS of a higher level keeps away a key of a lower one") {
    AccountLevel sas;
    sas.sas = Secret(kSas);
    const Settings s = merged({sas, account("aaa", kKeyA)});
    CHECK(s.account == "aaa");
    CHECK(s.sas.reveal() == kSas);
    CHECK(s.key.empty());
}

TEST_CASE("an endpoint names the account where nothing else does") {
    const Settings s = merged({endpoint_only("https://aaa.blob.core.windows.net"), account("bbb", kKeyB)});
    CHECK(s.account == "aaa");
    CHECK(s.key.empty());
    const Settings path = merged({endpoint_only("http://127.0.0.1:10000/aaa"), account("aaa", kKeyA)});
    CHECK(path.account == "aaa");
    CHECK(path.key.reveal() == kKeyA);
    CHECK(path.endpoint->base_path == "/aaa");
}

TEST_CASE("an endpoint of a lower level that names another account is not this account's") {
    for (const char* url : {"https://bbb.blob.core.windows.net", "http://10.0.0.1:10000/bbb"}) {
        CAPTURE(url);
        const Settings s = merged({account("aaa", kKeyA), endpoint_only(url)});
        CHECK(s.account == "aaa");
        CHECK(host(s) == "aaa.blob.core.windows.net");
    }
}

TEST_CASE("an endpoint with a name of its own is that of the account it is configured with") {
    for (const auto& levels :
         {std::vector<AccountLevel>{account("aaa", kKeyA), endpoint_only("https://files.example.com")}, [] {
              AccountLevel both = account("aaa", kKeyA);
              both.endpoint = "https://files.example.com";
              return std::vector<AccountLevel>{both};
          }()}) {
        const Settings s = merged(levels);
        CHECK(host(s) == "files.example.com");
        CHECK(s.endpoint->account == "aaa");
        CHECK(s.key.reveal() == kKeyA);
    }
}

TEST_CASE("whatever levels are put together, no key of one account meets another account") {
    std::mt19937 dice(7);
    const auto any_level = [&] {
        const std::string name = dice() % 2 == 0 ? "aaa" : "bbb";
        const std::string key = name == "aaa" ? kKeyA : kKeyB;
        switch (dice() % 6) {
            case 0: return account(name, key);
            case 1: return account(name);
            case 2: return connection(name, key);
            case 3: return endpoint_only("https://" + name + ".blob.core.windows.net");
            case 4: {
                AccountLevel level = account(name, key);
                level.endpoint = "http://127.0.0.1:10000/" + name;
                return level;
            }
            default: return AccountLevel{};
        }
    };
    int keys = 0;
    for (int round = 0; round < 2000; ++round) {
        const Settings s = merged({any_level(), any_level(), any_level()});
        if (s.endpoint) CHECK(s.endpoint->to_string().find(s.account) != std::string::npos);
        if (s.endpoint) CHECK(s.endpoint->account == s.account);
        if (s.key.empty()) continue;
        ++keys;
        CHECK(s.key.reveal() == (s.account == "aaa" ? kKeyA : kKeyB));
    }
    CHECK(keys > 500);
}

TEST_CASE("it is known where the endpoint and the credential in use were found") {
    const auto named = [](AccountLevel level, const std::string& name) {
        level.names = {name + " string", name + " key", name + " sas", name + " endpoint", name + " account"};
        return level;
    };
    const auto from = [&](const AccountLevel& higher, const AccountLevel& lower) {
        const Settings s = merged({named(higher, "high"), named(lower, "low")});
        return s.endpoint_from + ", " + s.credential_from;
    };
    AccountLevel sas = account("aaa");
    sas.sas = Secret(kSas);
    CHECK(from(connection("aaa", kKeyA), connection("aaa", kKeyB)) == "high string, high string");
    CHECK(from(account("aaa"), connection("aaa", kKeyA)) == "low string, low string");
    CHECK(from(account("aaa"), connection("bbb", kKeyB)) == "high account, ");
    CHECK(from(account("aaa", kKeyA), endpoint_only("http://127.0.0.1:1/aaa")) == "low endpoint, high key");
    CHECK(from({}, sas) == "low account, low sas");
}

TEST_CASE("the flag --auth-mode takes the credential that it wants from any level, with its own source") {
    AccountLevel both = account("aaa", kKeyA);
    both.sas = Secret(kSas);
    both.names = {"string", "key", "sas", "endpoint", "account"};
    AccountLevel higher = account("aaa", kKeyB);
    higher.names.key = "higher key";
    for (const auto& levels : {std::vector<AccountLevel>{both}, std::vector<AccountLevel>{higher, both}}) {
        Settings by_sas;
        by_sas.auth_mode = AuthMode::sas;
        REQUIRE(merge_account(levels, by_sas));
        CHECK(by_sas.sas.reveal() == kSas);
        CHECK(by_sas.credential_from == "sas");
        Settings by_key;
        by_key.auth_mode = AuthMode::key;
        REQUIRE(merge_account(levels, by_key));
        CHECK(by_key.credential_from == (levels.size() == 1 ? "key" : "higher key"));
    }
    CHECK(merged({both}).credential_from == "key");
}

TEST_CASE("a bad endpoint or connection string is a configuration error without its value") {
    for (AccountLevel level : {endpoint_only("ftp://aaa?sig=" + kKeyA), connection("aaa", kKeyA + "!")}) {
        Settings settings;
        const auto ok = merge_account({level}, settings);
        REQUIRE(!ok);
        CHECK(ok.error().code == ErrorCode::config);
        CHECK(ok.error().message.find(kKeyA) == std::string::npos);
    }
}

}  // namespace azlock::cli
