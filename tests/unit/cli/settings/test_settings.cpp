// Where settings come from: flag, environment, file, default.
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

std::string host(const Settings& settings) {
    return settings.endpoint ? settings.endpoint->origin.host : "";
}

}  // namespace

TEST_CASE("settings come from the flag, else the environment, else the file, else the default") {
    Environment env;
    const TempDir dir;
    GlobalFlags flags;
    flags.config_file = dir.write(
        "config.toml",
        "account = \"ccc\"\naccount_key = \"" + kKeyA +
            "\"\nretries = 7\ntimeout = \"90s\"\napi_version = \"2021-12-02\"\n"
            "ca_file = '/etc/ca.pem'\nallow_insecure_http = true\ntoken_cache = true\ntry_timeout = \"5s\"\n");
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
    CHECK(from_file->token_cache);

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
    CHECK(!settings->token_cache);
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
}

TEST_CASE("how to authenticate comes from the flag, the environment or the file, in this order") {
    Environment env;
    const TempDir dir;
    GlobalFlags flags;
    CHECK(load_settings(flags)->auth_mode == AuthMode::automatic);
    flags.config_file = dir.write("c", "auth_mode = \"anonymous\"\ncredential = \"secret\"");
    CHECK(load_settings(flags)->auth_mode == AuthMode::anonymous);
    CHECK(load_settings(flags)->auth_mode_from == "auth_mode in " + flags.config_file);
    CHECK(load_settings(flags)->credential == "secret");
    env.set("AZURE_STORAGE_AUTH_MODE", "sas");
    CHECK(load_settings(flags)->auth_mode == AuthMode::sas);
    flags.credential = "workload-identity";
    CHECK(load_settings(flags)->auth_mode == AuthMode::login);
    CHECK(load_settings(flags)->credential == "workload-identity");
    flags.auth_mode = "login";
    CHECK(load_settings(flags)->auth_mode_from == "--auth-mode");
    flags.auth_mode = "key";
    const auto both = load_settings(flags);
    REQUIRE(!both);
    CHECK(both.error().code == ErrorCode::usage);
}

TEST_CASE("a name that no account has is refused with the name of its setting, and not shown: 64") {
    Environment env;
    const TempDir dir;
    GlobalFlags flags;
    for (const char* name : {"a/b", "MyAccount", "ab", "a-b", "a.b.c", "a b", "abcdefghijklmnopqrstuvwxy", "a\nb"}) {
        CAPTURE(name);
        const auto refused = [&](const std::string& setting) {
            const auto settings = load_settings(flags);
            REQUIRE(!settings);
            CHECK(settings.error().code == ErrorCode::usage);
            CHECK(settings.error().message == setting + ": this is not the name of a storage account");
            CHECK(settings.error().hint == "it has 3 to 24 lower-case letters and digits");
        };
        flags.account = name;
        refused("--account");
        flags = {};
        env.set("AZURE_STORAGE_ACCOUNT", name);
        refused("AZURE_STORAGE_ACCOUNT");
        env.set("AZURE_STORAGE_ACCOUNT", "");
        flags.config_file =
            dir.write("c", "account = \"" + (*name == 'a' && name[1] == '\n' ? "a/b" : std::string(name)) + "\"");
        refused("account in " + flags.config_file);
        flags = {};
    }
    env.set("AZURE_STORAGE_SERVICE_ENDPOINT", "http://127.0.0.1:10000/My-account_1");
    for (const char* name : {"", "My-account_1"}) {
        flags.account = name;
        REQUIRE(load_settings(flags));
        CHECK(load_settings(flags)->account == "My-account_1");
    }
    flags.account = "a/b";
    CHECK(load_settings(flags).error().code == ErrorCode::usage);
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
    SECTION("a connection string in a file") {
        flags.connection_string_file = dir.write("cs", "AccountName=aaa;AccountKey=" + kKeyA + "!");
        named = "--connection-string-file: AccountKey: ";
    }
    SECTION("an endpoint in the environment") {
        env.set("AZURE_STORAGE_SERVICE_ENDPOINT", "aaa");
        named = "AZURE_STORAGE_SERVICE_ENDPOINT: ";
    }
    SECTION("an endpoint in the configuration") {
        flags.config_file = dir.write("c", "endpoint = \"https://aaa.test/a/b\"");
        named = "endpoint in " + flags.config_file + ": ";
    }
    SECTION("an authentication that there is not") {
        env.set("AZURE_STORAGE_AUTH_MODE", kKeyA);
        named = "AZURE_STORAGE_AUTH_MODE";
    }
    const auto settings = load_settings(flags);
    REQUIRE(!settings);
    CHECK(settings.error().code == ErrorCode::config);
    CHECK(settings.error().message.find(named) != std::string::npos);
    CHECK(settings.error().message.find(kKeyA) == std::string::npos);
}

}  // namespace azlock::cli
