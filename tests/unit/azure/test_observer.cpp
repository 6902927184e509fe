// azure/pipeline: what an observer gets to see, and that no secret is in it.
#include "azure/pipeline.hpp"
#include "azure/shared_key.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/scripted_transport.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::service_answer;

namespace {

constexpr const char* kKey = "TUFSS0VSTUFSS0VS";  // "MARKERMARKER"
constexpr const char* kSas = "sv=2023-11-03&sp=rw&sig=MARKER%2Bx%3D";

class Recorder final : public Observer {
  public:
    void sending(const Operation& op, int attempt) override {
        note("sending " + std::to_string(attempt) + " " + std::string(op.name));
        texts.push_back(op.target);
        texts.push_back(op.request.loggable_target());
    }
    void answered(const Operation&, const http::Response& answer, std::chrono::nanoseconds took) override {
        note("answered " + std::to_string(answer.status) + " after " +
             std::to_string(std::chrono::duration_cast<std::chrono::seconds>(took).count()));
    }
    void failed(const Operation&, const Error& error) override {
        note("failed " + error.service_code);
        keep(error);
    }
    void retrying(const Operation&, const Error& why, std::chrono::milliseconds wait) override {
        note(std::string("retrying ") + (wait.count() > 0 ? "later" : "at once"));
        keep(why);
    }
    void signature_refused(const std::string& signed_here, const std::string& signed_there) override {
        note("signature refused");
        ours = signed_here;
        theirs = signed_there;
        texts.push_back(ours);
        texts.push_back(theirs);
    }

    std::vector<std::string> events;
    std::vector<std::string> texts;
    std::string ours;
    std::string theirs;

  private:
    void note(std::string event) { events.push_back(std::move(event)); }
    void keep(const Error& error) {
        for (const auto& text : {error.message, error.hint, error.target, error.service_code, error.operation,
                                 error.request_id, error.client_request_id}) {
            texts.push_back(text);
        }
    }
};

Operation a_write() {
    Operation op;
    op.name = "Put Blob";
    op.request.method = http::Method::put;
    op.request.origin = {true, "acct.blob.test", 443};
    op.request.path = "/box/b";
    op.request.body = http::make_body("x");
    op.replay = Replay::harmless;
    op.expected = 201;
    op.target = "box/b";
    return op;
}

struct Rig {
    explicit Rig(Credential credential) : pipeline(transport, clock, random, std::move(credential), {}, &observer) {}
    test::ScriptedTransport transport;
    test::FakeClock clock;
    SeededRandom random{1};
    Recorder observer;
    Pipeline pipeline;
};

http::Response signature_refusal() {
    auto refused = service_answer(403, "AuthenticationFailed");
    refused.body =
        "<Error><Code>AuthenticationFailed</Code><Message>m</Message><AuthenticationErrorDetail>The MAC signature "
        "found "
        "in the HTTP request 'MARKERsignature=' is not the same as any computed signature. Server used following "
        "string "
        "to sign: 'PUT\n\n\n1'.</AuthenticationErrorDetail></Error>";
    return refused;
}

}  // namespace

TEST_CASE("an observer sees every attempt, answer, failure and wait in order") {
    Rig rig(*Credential::shared_key("acct", Secret(kKey)));
    rig.transport.fail(TransportFault::reset, true);
    rig.transport.play([&](const http::Request&, std::stop_token) {
        rig.clock.advance(std::chrono::seconds(2));
        return service_answer(503, "ServerBusy");
    });
    rig.transport.answer(service_answer(201));
    REQUIRE(rig.pipeline.send(a_write(), {}));
    CHECK(rig.observer.events == std::vector<std::string>{"sending 1 Put Blob", "failed ", "retrying at once",
                                                          "sending 2 Put Blob", "answered 503 after 2",
                                                          "failed ServerBusy", "retrying later", "sending 3 Put Blob",
                                                          "answered 201 after 0"});
}

TEST_CASE("a probe is told as the request that it is") {
    Rig rig(*Credential::shared_key("acct", Secret(kKey)));
    rig.transport.fail(TransportFault::early_close, false);
    rig.transport.fail(TransportFault::early_close, false);
    rig.transport.answer(service_answer(404, "ContainerNotFound"));
    REQUIRE_FALSE(rig.pipeline.send(a_write(), {}));
    CHECK(rig.observer.events == std::vector<std::string>{"sending 1 Put Blob", "failed ", "retrying at once",
                                                          "sending 2 Put Blob", "sending 1 Get Blob Properties",
                                                          "answered 404 after 0", "failed ContainerNotFound"});
}

TEST_CASE("a refused signature comes with both texts, and with no signature in them") {
    Rig rig(*Credential::shared_key("acct", Secret(kKey)));
    rig.transport.answer(signature_refusal());
    const auto answer = rig.pipeline.send(a_write(), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::auth);
    CHECK(rig.observer.ours == string_to_sign(rig.transport.requests[0], "acct"));
    CHECK(rig.observer.theirs.find("'PUT\n\n\n1'") != std::string::npos);
    CHECK(rig.observer.theirs.find("MARKER") == std::string::npos);
    // Without the service's text there is nothing to compare.
    rig.observer.events.clear();
    rig.transport.answer(service_answer(403, "AuthorizationPermissionMismatch"));
    REQUIRE_FALSE(rig.pipeline.send(a_write(), {}));
    CHECK(rig.observer.events == std::vector<std::string>{"sending 1 Put Blob", "answered 403 after 0",
                                                          "failed AuthorizationPermissionMismatch"});
}

TEST_CASE("nothing an observer or caller is told holds a secret, whatever the credential and the outcome") {
    const std::vector<Credential> credentials{Credential::anonymous(), *Credential::shared_key("acct", Secret(kKey)),
                                              *Credential::sas(Secret(kSas))};
    for (const Credential& credential : credentials) {
        INFO(credential.describe());
        Rig rig(credential);
        rig.transport.fail(TransportFault::reset, true);
        rig.transport.answer(service_answer(503, "ServerBusy"));
        auto echo = service_answer(400);
        echo.body = "<Error><Code>InvalidUri</Code><Message>The URL https://acct.blob.test/box/b?" +
                    std::string("sv=2023-11-03&amp;sp=rw&amp;sig=MARKER%2Bx%3D") + " is not right</Message></Error>";
        rig.transport.answer(echo);
        const auto answer = rig.pipeline.send(a_write(), {});
        REQUIRE_FALSE(answer);
        rig.transport.answer(signature_refusal());
        const auto refused = rig.pipeline.send(a_write(), {});
        REQUIRE_FALSE(refused);
        auto texts = rig.observer.texts;
        texts.insert(texts.end(), {answer.error().message, answer.error().hint, refused.error().message});
        REQUIRE(texts.size() > 20);
        for (const std::string& text : texts) {
            INFO(text);
            CHECK(text.find("MARKER") == std::string::npos);
            CHECK(text.find(kKey) == std::string::npos);
        }
        // Only the request on the wire has the SAS.
        const bool sas = credential.kind() == Credential::Kind::sas;
        CHECK((rig.transport.requests[0].wire_target().find("MARKER") != std::string::npos) == sas);
    }
}
