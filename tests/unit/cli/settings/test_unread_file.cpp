// The configuration file: what in it is refused, where its paths begin, and what happens if it cannot be read.
#include <filesystem>

#include <sys/stat.h>

#include "cli/settings/settings.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/environment.hpp"

namespace azlock::cli {
namespace {

using test::Environment;
using test::TempDir;

const std::string kKey = "a2V5LW9mLWFhYQ==";

Result<azure::Credential> no_login(const azure::Endpoint&) {
    return fail(ErrorCode::auth, "no login here");
}

GlobalFlags with_file(const TempDir& dir, const std::string& text) {
    GlobalFlags flags;
    flags.config_file = dir.write("config.toml", text);
    return flags;
}

}  // namespace

TEST_CASE("allow_insecure_http that is neither true nor false is refused, not taken for false") {
    Environment environment;
    const TempDir dir;
    for (const char* text : {"\"yes\"", "1", "\"True\"", "\"true\"", "\"\""}) {
        CAPTURE(text);
        const auto settings = load_settings(with_file(dir, "allow_insecure_http = " + std::string(text)));
        REQUIRE(!settings);
        CHECK(settings.error().code == ErrorCode::config);
        CHECK(settings.error().message.find("allow_insecure_http must be true or false") != std::string::npos);
    }
    CHECK(load_settings(with_file(dir, "allow_insecure_http = true"))->allow_insecure_http);
    CHECK(!load_settings(with_file(dir, "allow_insecure_http = false"))->allow_insecure_http);
}

TEST_CASE("a relative path in the configuration file begins at the file's folder") {
    Environment environment;
    const TempDir dir;
    dir.write("key", kKey);
    const auto settings =
        load_settings(with_file(dir, "account = \"aaa\"\naccount_key_file = \"key\"\nca_file = \"roots.pem\""));
    REQUIRE(settings);
    CHECK(settings->key.reveal() == kKey);
    CHECK(settings->ca_file == dir.file("roots.pem"));
    CHECK(load_settings(with_file(dir, "ca_file = \"/roots.pem\""))->ca_file == "/roots.pem");
    for (const char* key : {"sas_file", "connection_string_file"}) {
        CAPTURE(key);
        const auto missing = load_settings(with_file(dir, std::string(key) + " = \"sub/none\""));
        REQUIRE(!missing);
        CHECK(missing.error().message.find(dir.file("sub/none")) != std::string::npos);
    }
}

TEST_CASE("each key takes the kind of value that is documented, and no other") {
    Environment environment;
    const TempDir dir;
    for (const char* text : {"retries = \"3\"", "retries = 0x10", "retries = true", "timeout = true", "timeout = 0b1",
                             "account = 12", "api_version = false", "sas_token = 1", "ca_file = true"}) {
        CAPTURE(text);
        const auto settings = load_settings(with_file(dir, text));
        REQUIRE(!settings);
        CHECK(settings.error().code == ErrorCode::config);
        CHECK(settings.error().message.find(" must be ") != std::string::npos);
    }
    CHECK(load_settings(with_file(dir, "timeout = 90"))->timeout == std::chrono::seconds(90));
}

TEST_CASE("a FIFO is no configuration file and no key file, and azlock does not wait for its writer") {
    Environment environment;
    const TempDir dir;
    environment.set("XDG_CONFIG_HOME", dir.path());
    std::filesystem::create_directory(dir.file("azlock"));
    const std::string fifo = dir.file("azlock/config.toml");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto by_default = load_settings({});
    REQUIRE(by_default);
    REQUIRE(by_default->unread_file);
    CHECK(by_default->unread_file->message.find("is a FIFO") != std::string::npos);
    std::filesystem::rename(fifo, dir.file("fifo"));
    GlobalFlags config;
    config.config_file = dir.file("fifo");
    GlobalFlags key;
    key.account_key_file = dir.file("fifo");
    for (const GlobalFlags& flags : {config, key}) {
        const auto settings = load_settings(flags);
        REQUIRE(!settings);
        CHECK(settings.error().code == ErrorCode::config);
        CHECK(settings.error().message.find("is a FIFO") != std::string::npos);
    }
}

TEST_CASE("a default file that cannot be read matters only if something is missing") {
    Environment environment;
    const TempDir dir;
    environment.set("XDG_CONFIG_HOME", dir.path());
    // A directory cannot be read, not even by root.
    std::filesystem::create_directories(dir.file("azlock/config.toml"));
    GlobalFlags flags;
    const std::string url = "https://aaa.blob.core.windows.net/box/b";
    SECTION("nothing else: the error names the file") {
        const auto settings = load_settings(flags);
        REQUIRE(settings);
        for (const std::string& target : {std::string("box/b"), url}) {
            const auto access = access_to(*settings, no_login, target);
            REQUIRE(!access);
            CHECK(access.error().code == ErrorCode::config);
            CHECK(access.error().message.find("config.toml") != std::string::npos);
        }
        CHECK(!access_to_account(*settings, no_login));
        CHECK(access_to(*settings, no_login, url + "?sv=2023&sig=c2VjcmV0"));
    }
    SECTION("flags give account and key") {
        flags.account = "aaa";
        flags.account_key_file = dir.write("key", kKey);
        const auto settings = load_settings(flags);
        REQUIRE(settings);
        CHECK(access_to(*settings, no_login, "box/b"));
        CHECK(access_to(*settings, no_login, url));
    }
    SECTION("flags give an account without a key") {
        flags.account = "aaa";
        const auto settings = load_settings(flags);
        REQUIRE(settings);
        CHECK(!access_to(*settings, no_login, "box/b"));
    }
    SECTION("a file that --config names must be readable") {
        flags.config_file = dir.file("azlock/config.toml");
        CHECK(!load_settings(flags));
    }
}

}  // namespace azlock::cli
