// ops/login/choose and source_chain: which source of tokens is used, and what is said if there is none.
#include "ops/login/choose.hpp"
#include "ops/login/source_chain.hpp"
#include "support/catch.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;
using test::LoginRig;

namespace {

// Gives a token, or an error, and counts.
class StubSource final : public TokenSource {
  public:
    StubSource(int& asked, std::optional<Error> error)
        : asked_(asked), error_(std::move(error)), name_(error_ ? "no desk" : "a desk") {}
    Result<Token> fetch(Deadline, const std::stop_token&) override {
        ++asked_;
        if (error_) return fail(*error_);
        return Token{Secret("t"), BootTime(), BootTime(1h), {}};
    }
    [[nodiscard]] std::string describe() const override { return name_; }

  private:
    int& asked_;
    std::optional<Error> error_;
    std::string name_;
};

std::unique_ptr<TokenSource> stub(int& asked, std::optional<Error> error = {}) {
    return std::make_unique<StubSource>(asked, std::move(error));
}

std::vector<std::unique_ptr<TokenSource>> both(std::unique_ptr<TokenSource> first,
                                               std::unique_ptr<TokenSource> second) {
    std::vector<std::unique_ptr<TokenSource>> out;
    out.push_back(std::move(first));
    out.push_back(std::move(second));
    return out;
}

Error error_of(const Result<std::unique_ptr<TokenSource>>& source) {
    REQUIRE_FALSE(source);
    return source.error();
}

}  // namespace

TEST_CASE("a chain stays with the first source that gives a token") {
    int first = 0;
    int second = 0;
    auto chain = make_source_chain(both(stub(first, make_error(ErrorCode::auth, "not here")), stub(second)), {});
    CHECK(chain->describe() == "no desk or a desk");
    REQUIRE(chain->fetch(kNoDeadline, {}));
    CHECK(chain->describe() == "a desk");
    REQUIRE(chain->fetch(kNoDeadline, {}));
    CHECK(first == 1);
    CHECK(second == 2);
}

TEST_CASE("a failure that may pass ends the search") {
    int first = 0;
    int second = 0;
    Error outage = make_error(ErrorCode::unavailable, "down");
    outage.fault = TransportFault::connect;
    auto chain = make_source_chain(both(stub(first, outage), stub(second)), {});
    CHECK(chain->fetch(kNoDeadline, {}).error().message == "down");
    CHECK(second == 0);
}

TEST_CASE("a stop ends the search, too") {
    int asked = 0;
    auto chain = make_source_chain(both(stub(asked, stopped_by_signal()), stub(asked)), {});
    CHECK(chain->fetch(kNoDeadline, {}).error().code == ErrorCode::cancelled);
    CHECK(asked == 1);
}

TEST_CASE("blanks and line ends around a value do not count, and a tool gets no odd tenant") {
    LoginRig rig;
    rig.variables = {{"AZURE_CLIENT_ID", " c"}, {"AZURE_TENANT_ID", "t\n"}, {"AZURE_CLIENT_SECRET", "s\n"}};
    rig.transport.answer(test::token_answer(200, R"({"access_token":"a","expires_in":60})"));
    REQUIRE(rig.fetch("secret"));
    CHECK(test::body_of(rig.transport.requests.at(0)).find("client_id=c&") != std::string::npos);
    CHECK(test::body_of(rig.transport.requests.at(0)).ends_with("client_secret=s"));
    rig.variables["AZURE_TENANT_ID"] = "a b";
    for (const char* tool : {"az", "azd"}) CHECK(rig.fetch(tool).error().code == ErrorCode::config);
    CHECK(rig.tools.empty());
}

TEST_CASE("if no source has a token, the reason of each is told") {
    int asked = 0;
    auto chain = make_source_chain(both(stub(asked, make_error(ErrorCode::auth, "not on this machine")),
                                        stub(asked, make_error(ErrorCode::auth, "not logged in"))),
                                   {"secret: AZURE_CLIENT_SECRET is not set"});
    const auto none = chain->fetch(kNoDeadline, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::auth);
    for (const char* part : {"AZURE_CLIENT_SECRET is not set", "not on this machine", "not logged in"}) {
        CHECK(none.error().message.find(part) != std::string::npos);
    }
    CHECK(none.error().hint.find("--auth-mode anonymous") != std::string::npos);
}

TEST_CASE("a secret goes before a token file, and what is incomplete says what is missing") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_FEDERATED_TOKEN_FILE"] = "/nowhere";
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    rig.give_token();
    REQUIRE(rig.fetch());
    CHECK(test::body_of(rig.transport.requests.at(0)).find("client_secret=s") != std::string::npos);
    rig.variables.erase("AZURE_CLIENT_ID");
    const Error error = error_of(choose_source(rig.options("secret")));
    CHECK(error.code == ErrorCode::auth);
    CHECK(error.message ==
          "the credential of --credential secret is not set up here; secret: AZURE_CLIENT_ID is not set");
}

TEST_CASE("a value in quotation marks is told as that, with the name of its variable: 78") {
    const auto told = [](const char* variable, const std::string& credential, LoginRig& rig) {
        CAPTURE(variable);
        for (const char* quote : {"\"", "'"}) {
            const std::string before = rig.variables[variable];
            rig.variables[variable] = quote + std::string("MARKER") + quote;
            const Error error = error_of(choose_source(rig.options(credential)));
            CHECK(error.code == ErrorCode::config);
            CHECK(error.message == std::string(variable) + " is in quotation marks");
            rig.variables[variable] = before;
        }
    };
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    for (const char* variable : {"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET"}) told(variable, "", rig);
    told("AZURE_ID_TOKEN", "id-token", rig);
    told("AZURE_FEDERATED_TOKEN_FILE", "workload-identity", rig);
    told("AZURE_CLIENT_CERTIFICATE_PATH", "certificate", rig);
    rig.variables["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = "t";
    told("ACTIONS_ID_TOKEN_REQUEST_URL", "github", rig);
    rig.variables["AZURE_CLIENT_SECRET"] = "\"s";
    rig.give_token();
    CHECK(rig.fetch());
}

TEST_CASE("other tools' names for client and tenant are understood") {
    for (const char* prefix : {"AZURESUBSCRIPTION_", "ARM_"}) {
        LoginRig rig;
        rig.variables[std::string(prefix) + "CLIENT_ID"] = "c";
        rig.variables[std::string(prefix) + "TENANT_ID"] = "t";
        rig.variables["AZURE_CLIENT_SECRET"] = "s";
        rig.give_token();
        REQUIRE(rig.fetch("secret"));
        CHECK(rig.transport.requests.at(0).path == "/t/oauth2/v2.0/token");
    }
}

TEST_CASE("Terraform's variables are Azure Pipelines' if they name a connection, else GitHub's") {
    for (const bool pipelines : {true, false}) {
        CAPTURE(pipelines);
        LoginRig rig;
        rig.variables["ARM_CLIENT_ID"] = "c";
        rig.variables["ARM_TENANT_ID"] = "t";
        rig.variables["ARM_OIDC_REQUEST_URL"] = "https://desk.example/token?a=b";
        rig.variables["ARM_OIDC_REQUEST_TOKEN"] = "bearer";
        if (pipelines) rig.variables["ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"] = "connection";
        rig.transport.answer(test::token_answer(404, ""));
        (void)rig.fetch("");
        REQUIRE_FALSE(rig.transport.requests.empty());
        CHECK(rig.transport.requests.at(0).origin.host == "desk.example");
        CHECK((rig.transport.requests.at(0).method == http::Method::post) == pipelines);
    }
}

TEST_CASE("where nothing is configured, the metadata service, az and azd are looked for, in this order") {
    LoginRig rig;
    rig.variables["AZURE_CLIENT_ID"] = "c";  // it may as well choose among the identities of this machine
    rig.transport.fail(TransportFault::connect, false);
    const auto none = rig.fetch();
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::auth);
    CHECK(rig.tools == std::vector<std::string>{"az", "azd"});
    for (const char* part : {"secret: AZURE_CLIENT_SECRET and AZURE_TENANT_ID are not set",
                             "github: ACTIONS_ID_TOKEN_REQUEST_URL", "azure-pipelines: SYSTEM_OIDCREQUESTURI",
                             "nobody answers at 169.254.169.254", "az is not installed", "azd is not installed"}) {
        INFO(none.error().message);
        CHECK(none.error().message.find(part) != std::string::npos);
    }
    rig.variables["AZURE_TOKEN_CREDENTIALS"] = "dev";
    CHECK_FALSE(rig.fetch());
    CHECK(rig.transport.requests.size() == 1);
}

TEST_CASE("a named managed identity is not looked for but asked") {
    LoginRig rig;
    rig.variables["AZURE_TOKEN_CREDENTIALS"] = "ManagedIdentityCredential";
    rig.give_token();
    REQUIRE(rig.fetch());
    CHECK(rig.transport.requests.at(0).headers.get("Metadata") == "true");
    rig.transport.answer(test::token_answer(400, R"({"error_description":"Identity not found"})"));
    const auto none = rig.fetch();  // its error is final
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("there is no credential") == std::string::npos);
    CHECK(rig.tools.empty());
}

TEST_CASE("AZURE_TOKEN_CREDENTIALS names one source or a group, in any case, and nothing else") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    rig.variables["AZURE_TOKEN_CREDENTIALS"] = " workloadidentitycredential ";
    CHECK(error_of(choose_source(rig.options())).message.find("AZURE_FEDERATED_TOKEN_FILE is not set") !=
          std::string::npos);
    for (const char* name : {"prod", "EnvironmentCredential", "environmentcredential"}) {
        rig.variables["AZURE_TOKEN_CREDENTIALS"] = name;
        CHECK(choose_source(rig.options()));
    }
    for (const char* name : {"MARKER", "AzurePowerShellCredential", "prod dev"}) {
        rig.variables["AZURE_TOKEN_CREDENTIALS"] = name;
        const Error error = error_of(choose_source(rig.options()));
        CHECK(error.code == ErrorCode::config);
        CHECK(error.message.find("MARKER") == std::string::npos);
    }
    // The flag goes before it.
    CHECK(choose_source(rig.options("secret")));
}

TEST_CASE("a variable that cannot be used is a configuration error, not a reason to go on") {
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    const auto [name, value] =
        GENERATE(table<const char*, const char*>({{"AZURE_TENANT_ID", "a/b"},
                                                  {"AZURE_CLIENT_ID", "a&b"},
                                                  {"AZURE_AUTHORITY_HOST", "http://login.example.org"}}));
    rig.variables[name] = value;
    const Error error = error_of(choose_source(rig.options()));
    CHECK(error.code == ErrorCode::config);
    CHECK(error.message.find(name) != std::string::npos);
}

TEST_CASE("the authority is that of the account's cloud, unless AZURE_AUTHORITY_HOST is set") {
    const auto at = [](const char* suffix) { return authority_for(azure::default_endpoint("acct", suffix)); };
    CHECK(at("core.windows.net") == "https://login.microsoftonline.com");
    CHECK(at("core.usgovcloudapi.net") == "https://login.microsoftonline.us");
    CHECK(at("core.chinacloudapi.cn") == "https://login.partner.microsoftonline.cn");
    LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    rig.variables["AZURE_AUTHORITY_HOST"] = "https://login.example.org/";
    rig.give_token();
    REQUIRE(rig.fetch());
    CHECK(rig.transport.requests.at(0).origin.host == "login.example.org");
}
