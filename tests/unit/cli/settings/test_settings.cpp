// Where an account's settings come from, and that a secret stays with the account it belongs to.
#include <random>

#include "cli/settings/settings.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/environment.hpp"

namespace azlock::cli {
namespace {

using test::Environment;
using test::TempDir;

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

TEST_CASE("a bad endpoint or connection string is a configuration error without its value") {
    for (AccountLevel level : {endpoint_only("ftp://aaa?sig=" + kKeyA), connection("aaa", kKeyA + "!")}) {
        Settings settings;
        const auto ok = merge_account({level}, settings);
        REQUIRE(!ok);
        CHECK(ok.error().code == ErrorCode::config);
        CHECK(ok.error().message.find(kKeyA) == std::string::npos);
    }
}

TEST_CASE("settings come from the flag, else the environment, else the file, else the default") {
    Environment env;
    const TempDir dir;
    GlobalFlags flags;
    flags.config_file =
        dir.write("config.toml", "account = \"ccc\"\naccount_key = \"" + kKeyA +
                                     "\"\nretries = 7\ntimeout = \"90s\"\napi_version = \"2021-12-02\"\n"
                                     "ca_file = '/etc/ca.pem'\nallow_insecure_http = true\ntry_timeout = \"5s\"\n");
    const auto from_file = load_settings(flags);
    REQUIRE(from_file);
    CHECK(from_file->account == "ccc");
    CHECK(from_file->key.reveal() == kKeyA);
    CHECK(from_file->retries == 7);
    CHECK(from_file->timeout == std::chrono::seconds(90));
    CHECK(from_file->try_timeout == std::chrono::seconds(5));
    CHECK(from_file->api_version == "2021-12-02");
    CHECK(from_file->ca_file == "/etc/ca.pem");
    CHECK(from_file->allow_insecure_http);

    env.set("AZURE_STORAGE_ACCOUNT", " bbb\n");
    env.set("AZURE_STORAGE_KEY", kKeyB);
    const auto from_environment = load_settings(flags);
    REQUIRE(from_environment);
    CHECK(from_environment->account == "bbb");
    CHECK(from_environment->key.reveal() == kKeyB);

    flags.account = "aaa";
    flags.account_key_file = dir.write("key", kKeyA + "\n");
    flags.retries = 0;
    flags.timeout = std::chrono::seconds(1);
    flags.api_version = "2023-11-03";
    const auto from_flags = load_settings(flags);
    REQUIRE(from_flags);
    CHECK(from_flags->account == "aaa");
    CHECK(from_flags->key.reveal() == kKeyA);
    CHECK(from_flags->retries == 0);
    CHECK(from_flags->timeout == std::chrono::seconds(1));
    CHECK(from_flags->api_version == "2023-11-03");
}

TEST_CASE("a timeout of 0 is none for the whole command, and no time for an attempt") {
    const Environment env;
    const TempDir dir;
    GlobalFlags flags;
    flags.timeout = std::chrono::milliseconds(0);
    const auto unlimited = load_settings(flags);
    REQUIRE(unlimited);
    CHECK(!unlimited->timeout);
    flags.try_timeout = std::chrono::milliseconds(0);
    const auto by_flag = load_settings(flags);
    REQUIRE(!by_flag);
    CHECK(by_flag.error().code == ErrorCode::usage);
    CHECK(by_flag.error().message == "--try-timeout: 0 leaves no time for an attempt");
    flags = {};
    flags.config_file = dir.write("config.toml", "try_timeout = \"0s\"\n");
    const auto by_file = load_settings(flags);
    REQUIRE(!by_file);
    CHECK(by_file.error().code == ErrorCode::config);
    CHECK(by_file.error().message == "configuration key try_timeout: 0 leaves no time for an attempt");
}

TEST_CASE("without configuration the defaults hold") {
    const Environment env;
    const auto settings = load_settings({});
    REQUIRE(settings);
    CHECK(settings->api_version == "2023-11-03");
    CHECK(!settings->retries);
    CHECK(!settings->timeout);
    CHECK(!settings->try_timeout);
    CHECK(!settings->allow_insecure_http);
    CHECK(!settings->endpoint);
}

TEST_CASE("the environment's connection string, SAS and endpoint are taken") {
    Environment env;
    SECTION("connection string of the emulator") {
        env.set("AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true");
        const auto settings = load_settings({});
        REQUIRE(settings);
        CHECK(settings->account == "devstoreaccount1");
        CHECK(host(*settings) == "127.0.0.1");
    }
    SECTION("SAS and endpoint") {
        env.set("AZURE_STORAGE_SAS_TOKEN", "?" + kSas);
        env.set("AZURE_STORAGE_SERVICE_ENDPOINT", "https://aaa.blob.core.windows.net/");
        const auto settings = load_settings({});
        REQUIRE(settings);
        CHECK(settings->account == "aaa");
        CHECK(!settings->sas.empty());
    }
    SECTION("authentication by key is what we do") {
        env.set("AZURE_STORAGE_AUTH_MODE", "key");
        CHECK(load_settings({}));
    }
}

TEST_CASE("what cannot be used is a configuration error that names its source and no secret") {
    Environment env;
    const TempDir dir;
    GlobalFlags flags;
    std::string named;
    SECTION("a missing configuration file that was asked for") {
        flags.config_file = dir.file("nothing.toml");
        named = "nothing.toml";
    }
    SECTION("a missing key file") {
        flags.account_key_file = dir.file("nothing");
        named = "--account-key-file";
    }
    SECTION("an empty SAS file") {
        flags.sas_file = dir.write("sas", " \n");
        named = "--sas-file";
    }
    SECTION("a missing key file in the configuration") {
        flags.config_file = dir.write("c", "account_key_file = \"" + dir.file("nothing") + "\"");
        named = "account_key_file";
    }
    SECTION("a bad number in the configuration") {
        flags.config_file = dir.write("c", "retries = \"many\"");
        named = "retries";
    }
    SECTION("a bad duration in the configuration") {
        flags.config_file = dir.write("c", "timeout = \"soon\"");
        named = "timeout";
    }
    SECTION("a bad connection string in the environment") {
        env.set("AZURE_STORAGE_CONNECTION_STRING", "AccountName=aaa;AccountKey=" + kKeyA + ";Colour=red");
        named = "Colour";
    }
    SECTION("an authentication that there is not") {
        env.set("AZURE_STORAGE_AUTH_MODE", "login");
        named = "AZURE_STORAGE_AUTH_MODE";
    }
    const auto settings = load_settings(flags);
    REQUIRE(!settings);
    CHECK(settings.error().code == ErrorCode::config);
    CHECK(settings.error().message.find(named) != std::string::npos);
    CHECK(settings.error().message.find(kKeyA) == std::string::npos);
}

}  // namespace azlock::cli
