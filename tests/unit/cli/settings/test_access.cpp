// Endpoint and credential for a TARGET: a secret goes only to its own account, and only in a safe way.
#include "cli/settings/settings.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

const std::string kKey = "a2V5LW9mLWFhYQ==";
const std::string kSas = "sv=2023&sig=c2VjcmV0";
using Kind = azure::Credential::Kind;

class NoTokens final : public azure::Tokens {
  public:
    Result<Secret> token(Deadline, const std::stop_token&) override { return Secret("t"); }
    void refused(const Secret&) override {}
    Status last_for(std::chrono::nanoseconds, Deadline, const std::stop_token&) override { return {}; }
    [[nodiscard]] std::optional<azure::TokenFacts> facts() const override { return std::nullopt; }
    [[nodiscard]] std::string describe() const override { return "a test"; }
};

// A login that must not happen, and one that does.
Result<azure::Credential> no_login(const azure::Endpoint&) {
    return fail(ErrorCode::auth, "no login here");
}
Result<azure::Credential> logged_in(const azure::Endpoint&) {
    return azure::Credential::login(std::make_shared<NoTokens>());
}

Settings in_mode(AuthMode mode, Settings settings) {
    settings.auth_mode = mode;
    settings.auth_mode_from = "--auth-mode";
    return settings;
}

Settings with_key(const std::string& endpoint = "https://aaa.blob.core.windows.net") {
    Settings settings;
    settings.account = "aaa";
    settings.key = Secret(kKey);
    settings.endpoint = azure::parse_endpoint(endpoint).value();
    settings.endpoint->account = "aaa";
    return settings;
}

}  // namespace

TEST_CASE("a plain name is in the configured account") {
    for (const char* target : {"box/a b", "az://box/a b"}) {
        const auto access = access_to(with_key(), no_login, target);
        REQUIRE(access);
        CHECK(access->endpoint.origin.host == "aaa.blob.core.windows.net");
        CHECK(access->credential.kind() == Kind::shared_key);
        CHECK(access->address.container == "box");
        CHECK(access->address.blob == "a b");
    }
}

TEST_CASE("without an account a plain name has no place, and a URL needs a login") {
    const auto nowhere = access_to({}, no_login, "box/blob");
    REQUIRE(!nowhere);
    CHECK(nowhere.error().code == ErrorCode::config);
    CHECK(!nowhere.error().hint.empty());
    const auto url = access_to({}, no_login, "https://aaa.blob.core.windows.net/box/blob");
    REQUIRE(!url);
    CHECK(url.error().message == "no login here");
    const auto login = access_to({}, logged_in, "https://aaa.blob.core.windows.net/box/blob");
    REQUIRE(login);
    CHECK(login->credential.kind() == Kind::login);
    CHECK(login->endpoint.account == "aaa");
    CHECK(login->credential_from.empty());
}

TEST_CASE("a key or SAS that cannot be used names its setting") {
    Settings settings = with_key();
    settings.credential_from = "AZURE_STORAGE_KEY";
    settings.key = Secret("MARKER");
    const auto key = access_to(settings, no_login, "box/blob");
    REQUIRE(!key);
    CHECK(key.error().message == "AZURE_STORAGE_KEY: the account key is not valid Base64");
    settings.key = {};
    settings.sas = Secret("sv=1&sp=MARKER");
    settings.credential_from = "--sas-file";
    for (const auto& sas : {access_to(settings, no_login, "box/blob"), access_to_account(settings, no_login)}) {
        REQUIRE(!sas);
        CHECK(sas.error().code == ErrorCode::config);
        CHECK(sas.error().message == "--sas-file: the SAS has no signature: the parameter sig is missing");
    }
    const auto url = access_to(with_key(), no_login, "https://aaa.blob.core.windows.net/box/blob?sv=1&sig=REDACTED");
    REQUIRE(!url);
    CHECK(url.error().message == "the URL: the signature was removed from this SAS");
}

TEST_CASE("a URL of the configured account uses its key") {
    const auto access = access_to(with_key(), no_login, "https://aaa.blob.core.windows.net/box/a%20b");
    REQUIRE(access);
    CHECK(access->credential.kind() == Kind::shared_key);
    CHECK(access->address.blob == "a b");
}

TEST_CASE("a URL of another account is refused where a secret is configured, and taken where none is used") {
    const char* url = "https://bbb.blob.core.windows.net/box/blob";
    Settings settings = with_key();
    if (GENERATE(true, false)) {
        settings.key = {};
        settings.sas = Secret(kSas);
    }
    const auto refused = access_to(settings, no_login, url);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::config);
    CHECK(refused.error().message.find("'bbb'") != std::string::npos);
    CHECK(refused.error().message.find("'aaa'") != std::string::npos);
    const auto open = access_to(in_mode(AuthMode::anonymous, settings), no_login, url);
    REQUIRE(open);
    CHECK(open->credential.kind() == Kind::anonymous);
    const auto login = access_to(in_mode(AuthMode::login, settings), logged_in, url);
    REQUIRE(login);
    CHECK(login->credential.kind() == Kind::login);
    CHECK(login->credential_from == "--auth-mode");
}

TEST_CASE("a key without an account cannot be used for any URL") {
    Settings settings;
    settings.key = Secret(kKey);
    const auto access = access_to(settings, no_login, "https://aaa.blob.core.windows.net/box/blob");
    REQUIRE(!access);
    CHECK(access.error().code == ErrorCode::config);
}

TEST_CASE("a SAS in the URL wins, also over a key of another account") {
    for (const char* name : {"aaa", "bbb"}) {
        const auto access =
            access_to(with_key(), no_login, "https://" + std::string(name) + ".blob.core.windows.net/box/blob?" + kSas);
        REQUIRE(access);
        CHECK(access->credential.kind() == Kind::sas);
        CHECK(access->endpoint.account == name);
        http::Request request;
        CHECK(access->credential.authorize(request));
        CHECK(request.secret_query.reveal() == kSas);
        CHECK(!request.headers.has("Authorization"));
    }
}

TEST_CASE("a path-style URL is cut where the configured endpoint ends") {
    const auto access =
        access_to(with_key("http://127.0.0.1:10000/aaa"), no_login, "http://127.0.0.1:10000/aaa/box/x/y");
    REQUIRE(access);
    CHECK(access->endpoint.base_path == "/aaa");
    CHECK(access->address.container == "box");
    CHECK(access->address.blob == "x/y");
    CHECK(access->credential.kind() == Kind::shared_key);
    const auto foreign =
        access_to(with_key("http://127.0.0.1:10000/aaa"), no_login, "http://127.0.0.1:10000/bbb/box/x");
    REQUIRE(!foreign);
    CHECK(foreign.error().code == ErrorCode::config);
}

TEST_CASE("a custom domain is the configured account's, and is cut like any host") {
    const auto access =
        access_to(with_key("https://files.example.com"), no_login, "https://files.example.com/box/blob");
    REQUIRE(access);
    CHECK(access->endpoint.account == "aaa");
    CHECK(access->address.container == "box");
    CHECK(access->credential.kind() == Kind::shared_key);
}

TEST_CASE("no secret goes over plain http to another machine unless that was allowed") {
    Settings settings = with_key("http://aaa.blob.core.windows.net");
    const auto refused = access_to(settings, no_login, "box/blob");
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::config);
    CHECK(refused.error().hint.find("--allow-insecure-http") != std::string::npos);
    CHECK(!access_to_account(settings, no_login));
    settings.allow_insecure_http = true;
    CHECK(access_to(settings, no_login, "box/blob"));
    CHECK(access_to_account(settings, no_login));
    CHECK(!access_to({}, no_login, "http://aaa.blob.core.windows.net/box/blob?" + kSas));
    CHECK(access_to(in_mode(AuthMode::anonymous, {}), no_login, "http://aaa.blob.core.windows.net/box/blob"));
    CHECK(!access_to({}, logged_in, "http://aaa.blob.core.windows.net/box/blob"));
    CHECK(access_to(with_key("http://127.0.0.1:10000/aaa"), no_login, "box/blob"));
}

TEST_CASE("an account is listed where one is configured") {
    const auto access = access_to_account(with_key(), no_login);
    REQUIRE(access);
    CHECK(access->endpoint.account == "aaa");
    CHECK(access->credential.kind() == Kind::shared_key);
    const auto none = access_to_account({}, no_login);
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::config);
}

TEST_CASE("nothing becomes anonymous unless that is asked for, and a mode without its secret is an error of its own") {
    for (const AuthMode mode : {AuthMode::automatic, AuthMode::key, AuthMode::sas, AuthMode::login}) {
        Settings settings = in_mode(mode, with_key());
        settings.key = {};
        const auto access = access_to(settings, no_login, "box/blob");
        REQUIRE(!access);
        CHECK(access.error().code == ErrorCode::auth);
    }
    const auto access = access_to(in_mode(AuthMode::anonymous, with_key()), no_login, "box/blob");
    REQUIRE(access);
    CHECK(access->credential.kind() == Kind::anonymous);
}

TEST_CASE("a mode chooses among what is set, and a key goes before a SAS and a login if nothing is chosen") {
    Settings settings = with_key();
    settings.sas = Secret(kSas);
    const auto kind = [&](AuthMode mode) {
        return access_to(in_mode(mode, settings), logged_in, "box/blob").value().credential.kind();
    };
    CHECK(kind(AuthMode::automatic) == Kind::shared_key);
    CHECK(kind(AuthMode::key) == Kind::shared_key);
    CHECK(kind(AuthMode::sas) == Kind::sas);
    CHECK(kind(AuthMode::login) == Kind::login);
}

TEST_CASE("a SAS in the URL goes before a mode of the environment, and contradicts one of a flag") {
    const std::string url = "https://aaa.blob.core.windows.net/box/blob?" + kSas;
    Settings settings = in_mode(AuthMode::login, {});
    const auto contradiction = access_to(settings, logged_in, url);
    REQUIRE(!contradiction);
    CHECK(contradiction.error().code == ErrorCode::usage);
    settings.auth_mode_from = "AZURE_STORAGE_AUTH_MODE";
    CHECK(access_to(settings, logged_in, url)->credential.kind() == Kind::sas);
    CHECK(access_to(in_mode(AuthMode::sas, {}), logged_in, url)->credential.kind() == Kind::sas);
}

TEST_CASE("a target or key that cannot be is refused without its secret") {
    const auto bad_name = access_to(with_key(), no_login, "https://aaa.blob.core.windows.net/BOX!/blob?" + kSas);
    REQUIRE(!bad_name);
    CHECK(bad_name.error().code == ErrorCode::usage);
    CHECK(bad_name.error().message.find("c2VjcmV0") == std::string::npos);
    Settings settings = with_key();
    settings.key = Secret("not Base64 at all");
    const auto bad_key = access_to(settings, no_login, "box/blob");
    REQUIRE(!bad_key);
    CHECK(bad_key.error().code == ErrorCode::config);
    CHECK(bad_key.error().message.find("not Base64 at all") == std::string::npos);
}

}  // namespace azlock::cli
