// azure/pipeline: for how long a call goes on while the service cannot be reached.
#include "support/catch.hpp"
#include "unit/azure/pipeline_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace std::chrono_literals;
using test::options_with;
using test::service_answer;
using Rig = test::PipelineRig;

namespace {

// Every attempt fails like this. The time that the call goes on, and how many attempts it makes.
struct Outage {
    explicit Outage(const PipelineOptions& options, TransportFault fault = TransportFault::connect,
                    bool answered = false)
        : rig(options) {
        if (answered) {
            rig.transport.answer(service_answer(201));
            REQUIRE(rig.send(Replay::harmless));
            rig.transport.requests.clear();
        }
        for (int i = 0; i < 200; ++i) rig.transport.fail(fault, false);
        const BootTime start = rig.clock.now();
        error = rig.send(Replay::harmless).error();
        took = rig.clock.now() - start;
        attempts = rig.transport.requests.size();
    }
    Rig rig;
    Error error;
    std::chrono::nanoseconds took{};
    std::size_t attempts = 0;
};

PipelineOptions going_on_for(std::chrono::seconds span, int attempts = 2) {
    PipelineOptions options = options_with(attempts);
    options.retry.retry_for = span;
    options.retry.cap = 10s;
    return options;
}

}  // namespace

TEST_CASE("in an outage the attempts go on for the time to retry, and do not hammer") {
    const Outage outage(going_on_for(300s));
    CHECK(outage.error.message.find("gave up") != std::string::npos);
    CHECK(outage.took == 300s);
    CHECK(outage.attempts > 20);
    CHECK(outage.attempts < 120);
}

TEST_CASE("the attempts that are allowed anyway are made, however short the time to retry is") {
    CHECK(Outage(going_on_for(0s, 4)).attempts == 4);
    CHECK(Outage(going_on_for(0s, 1)).attempts == 1);
}

TEST_CASE("a call succeeds when the service answers again within the time to retry") {
    Rig rig(going_on_for(300s));
    for (int i = 0; i < 15; ++i) rig.transport.fail(TransportFault::connect, false);
    rig.transport.answer(service_answer(503, "ServerBusy"));
    rig.transport.answer(service_answer(201));
    CHECK(rig.send(Replay::harmless));
    CHECK(rig.transport.requests.size() == 17);
}

TEST_CASE("a name that never resolved and a peer that speaks no HTTP are no outage") {
    CHECK(Outage(going_on_for(300s), TransportFault::resolve).attempts == 2);
    CHECK(Outage(going_on_for(300s), TransportFault::resolve, true).attempts > 20);
    CHECK(Outage(going_on_for(300s), TransportFault::malformed, true).attempts == 2);
}

TEST_CASE("a Retry-After beyond the time to retry is waited for before the last attempt") {
    Rig rig(going_on_for(20s, 1));
    for (int i = 0; i < 2; ++i) rig.transport.answer(service_answer(503, "ServerBusy", {{"Retry-After", "30"}}));
    CHECK_FALSE(rig.send(Replay::harmless));
    CHECK(rig.clock.waits() == std::vector<std::chrono::nanoseconds>{30s});
}
