// azure/pipeline with a login: which token a request carries, and what a refused one leads to.
#include "support/catch.hpp"
#include "unit/azure/pipeline_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace std::chrono_literals;
using test::options_with;
using test::service_answer;

namespace {

// Gives token 1, then token 2, after the first was refused, and so on.
class NumberedTokens final : public Tokens {
  public:
    Result<Secret> token(Deadline until, const std::stop_token&) override {
        deadline = until;
        if (!errors.empty()) {
            Error error = errors.back();
            errors.pop_back();
            return fail(std::move(error));
        }
        return Secret("token-" + std::to_string(number));
    }
    void refused(const Secret& token) override {
        if (token.reveal() == "token-" + std::to_string(number)) ++number;
    }
    Status last_for(std::chrono::nanoseconds, Deadline, const std::stop_token&) override { return {}; }
    [[nodiscard]] std::optional<TokenFacts> facts() const override {
        return TokenFacts{{}, tenant, {}, {}, {}, {}, {}, {}};
    }
    [[nodiscard]] std::string describe() const override { return "a test"; }

    std::string tenant;
    int number = 1;
    std::vector<Error> errors;
    Deadline deadline = kNoDeadline;
};

struct Rig : test::PipelineRig {
    explicit Rig(int attempts = 6) : Rig(std::make_shared<NumberedTokens>(), attempts) {}
    Rig(const std::shared_ptr<NumberedTokens>& made, int attempts)
        : PipelineRig(options_with(attempts), Credential::login(made)), tokens(made) {}

    [[nodiscard]] std::string sent(std::size_t at) const {
        return std::string(transport.requests.at(at).headers.get("Authorization"));
    }

    std::shared_ptr<NumberedTokens> tokens;
};

}  // namespace

TEST_CASE("a login puts the token of the moment into each attempt") {
    Rig rig;
    rig.transport.play([&](const http::Request&, std::stop_token) {
        rig.tokens->number = 7;
        return service_answer(503, "ServerBusy");
    });
    rig.transport.answer(service_answer(201));
    const Call call{rig.clock.after(60s), {}, {}};
    REQUIRE(rig.send(Replay::harmless, http::Method::put, call));
    CHECK(rig.sent(0) == "Bearer token-1");
    CHECK(rig.sent(1) == "Bearer token-7");
    CHECK(rig.tokens->deadline == call.deadline);
}

TEST_CASE("a refused token is replaced and the request sent once more, at once, even without retries") {
    const Replay replay = GENERATE(Replay::harmless, Replay::conditional, Replay::ambiguous);
    Rig rig(1);
    rig.transport.answer(GENERATE(service_answer(401, "InvalidAuthenticationInfo"), service_answer(401),
                                  service_answer(403, "AuthenticationFailed")));
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.send(replay));
    CHECK(rig.sent(0) == "Bearer token-1");
    CHECK(rig.sent(1) == "Bearer token-2");
    CHECK(rig.clock.now() == BootTime(1h));  // no wait
}

TEST_CASE("a new token that is refused, too, is the end") {
    Rig rig;
    rig.transport.answer(service_answer(401, "InvalidAuthenticationInfo"));
    rig.transport.answer(service_answer(401, "InvalidAuthenticationInfo"));
    const auto answer = rig.send(Replay::harmless);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::auth);
    CHECK(rig.transport.requests.size() == 2);
}

TEST_CASE("a refused permission, and a 401 of something in between, ask for no new token") {
    for (const auto& refusal : {service_answer(403, "AuthorizationPermissionMismatch"),
                                service_answer(403, "AuthorizationFailure"), test::foreign_answer(401)}) {
        Rig rig(1);
        rig.transport.answer(refusal);
        REQUIRE_FALSE(rig.send(Replay::harmless));
        CHECK(rig.transport.requests.size() == 1);
        CHECK(rig.tokens->number == 1);
    }
}

TEST_CASE("without a token nothing is sent, and the request waits out what may pass") {
    Rig rig;
    SECTION("a refusal is the end") {
        rig.tokens->errors = {make_error(ErrorCode::auth, "no token: wrong secret")};
        const auto answer = rig.send(Replay::harmless);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::auth);
        CHECK(answer.error().message == "no token: wrong secret");
        CHECK(answer.error().operation == "Put Blob");
        CHECK_FALSE(answer.error().may_have_applied);
        CHECK(rig.transport.requests.empty());
    }
    SECTION("an outage of the token endpoint is waited out like one of the service") {
        Error outage = make_error(ErrorCode::unavailable, "no answer");
        outage.fault = TransportFault::connect;
        rig.tokens->errors = {outage, outage};
        rig.transport.answer(service_answer(201));
        REQUIRE(rig.send(Replay::ambiguous));
        CHECK(rig.transport.requests.size() == 1);
        CHECK(rig.clock.waits().size() == 2);
    }
}

TEST_CASE("a login describes itself without its token, and goes over plain http to this machine only") {
    Rig rig;
    const Credential login = Credential::login(rig.tokens);
    CHECK(login.describe() == "login by a test");
    CHECK(login.kind() == Credential::Kind::login);
    CHECK_FALSE(check_transport_security({{false, "10.1.2.3", 80}, "/acct", "acct"}, login, false));
    CHECK(check_transport_security({{false, "127.0.0.1", 80}, "/acct", "acct"}, login, false));
    http::Request request;
    REQUIRE(login.authorize(request));
    CHECK(login.string_to_sign(request).empty());
    CHECK_FALSE(Credential::anonymous().token_facts());
}
