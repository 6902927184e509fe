// A pipeline over a scripted transport and a fake clock.
#pragma once

#include <utility>

#include "azure/pipeline.hpp"
#include "support/fake_clock.hpp"
#include "support/scripted_transport.hpp"
#include "support/seeded_random.hpp"

namespace azlock::test {

inline constexpr const char* kRigKey = "TUFSS0VSTUFSS0VS";

inline azure::PipelineOptions options_with(int attempts) {
    azure::PipelineOptions options;
    options.retry.max_attempts = attempts;
    return options;
}

struct PipelineRig {
    explicit PipelineRig(azure::PipelineOptions options = {},
                         azure::Credential credential = *azure::Credential::shared_key("acct", Secret(kRigKey)))
        : pipeline(transport, clock, random, std::move(credential), std::move(options)) {}

    // A write, or a read with Method::get.
    static azure::Operation op(azure::Replay replay, http::Method method = http::Method::put) {
        azure::Operation out;
        out.name = method == http::Method::put ? "Put Blob" : "Get Blob";
        out.request.method = method;
        out.request.origin = {true, "acct.blob.test", 443};
        out.request.path = "/box/b";
        out.replay = replay;
        out.expected = method == http::Method::put ? 201 : 200;
        out.target = "box/b";
        if (method == http::Method::put) out.request.body = http::make_body("12345");
        return out;
    }

    Result<http::Response> send(azure::Replay replay, http::Method method = http::Method::put,
                                const azure::Call& call = {}) {
        return pipeline.send(op(replay, method), call);
    }

    ScriptedTransport transport;
    FakeClock clock;
    SeededRandom random{1};
    azure::Pipeline pipeline;
};

}  // namespace azlock::test
