// The verbs of FaultyTransport's script: what each fault does.
#include <algorithm>
#include <atomic>
#include <latch>

#include "support/fake_wire.hpp"
#include "support/faulty_transport.hpp"

namespace azlock::test {
namespace {

Error broken(TransportFault fault, bool may_have_applied) {
    Error out = make_error(ErrorCode::unavailable, "scripted fault");
    out.fault = fault;
    out.retryable = true;
    out.may_have_applied = may_have_applied;
    return out;
}

// The same request; the body of its answer does not go to the sink.
http::Request without_sink(const http::Request& request) {
    http::Request out = request;
    out.sink = nullptr;
    return out;
}

http::Response error_answer(int status, const std::string& code, std::chrono::seconds retry_after) {
    http::Response out;
    out.status = status;
    if (!code.empty()) {
        out.headers.set("x-ms-error-code", code);
        out.headers.set("Content-Type", "application/xml");
        out.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + code +
                   "</Code><Message>Scripted.</Message></Error>";
    }
    if (retry_after >= std::chrono::seconds(0)) out.headers.set("Retry-After", std::to_string(retry_after.count()));
    out.headers.set("x-ms-request-id", "00000000-0000-0000-0000-000000000503");
    return out;
}

}  // namespace

using Rule = FaultyTransport::Rule;

Rule& Rule::nth(std::size_t n, std::size_t count) {
    first_ = n;
    count_ = count;
    return *this;
}

Rule& Rule::from(std::size_t n) {
    return nth(n, kNoEnd);
}

void Rule::stop(std::stop_source source) {
    struct State {
        std::atomic<bool> taken{false};
        std::latch stopped{1};
    };
    with("stop", [source, state = std::make_shared<State>()](const FaultCall& call) {
        const bool first = !state->taken.exchange(true);
        if (!first) state->stopped.wait();
        auto answer = call.forward(call.request);
        if (first) {
            std::stop_source(source).request_stop();
            state->stopped.count_down();
        }
        return answer;
    });
}

void Rule::with(std::string name, Fault fault) {
    const std::lock_guard lock(owner_->mutex_);
    fault_name_ = std::move(name);
    fault_ = std::move(fault);
}

void Rule::fail_before(TransportFault fault) {
    with("fail_before", [fault](const FaultCall&) { return fail(broken(fault, false)); });
}

void Rule::drop_reply() {
    with("drop_reply", [](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(without_sink(call.request));
        return fail(broken(TransportFault::reset, true));
    });
}

void Rule::lose_request() {
    with("lose_request", [](const FaultCall&) { return fail(broken(TransportFault::reset, true)); });
}

void Rule::return_status(int status, std::string service_code, std::chrono::seconds retry_after) {
    return_response(error_answer(status, service_code, retry_after));
}

void Rule::return_response(http::Response response) {
    with("return " + std::to_string(response.status), [response = std::move(response)](const FaultCall& call) {
        http::Response answer = response;
        if (call.request.method == http::Method::head) answer.body.clear();
        return fake::deliver(call.request, std::move(answer));
    });
}

void Rule::stall(bool applied) {
    with("stall", [owner = owner_, applied](const FaultCall& call) {
        if (applied) (void)call.forward(without_sink(call.request));
        return owner->time_out(call.deadline);
    });
}

void Rule::truncate(std::uint64_t bytes) {
    with("truncate", [bytes](const FaultCall& call) -> Result<http::Response> {
        auto answer = call.forward(without_sink(call.request));
        if (!answer) return answer;
        answer->body.resize(std::min<std::uint64_t>(bytes, answer->body.size()));
        auto delivered = fake::deliver(call.request, std::move(*answer));
        if (!delivered) return delivered;
        return fail(broken(TransportFault::reset, true));
    });
}

void Rule::silent_replay() {
    with("silent_replay", [](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(without_sink(call.request));
        auto answer = call.forward(call.request);
        if (answer) answer->times_sent = 2;
        return answer;
    });
}

void Rule::arrive_late(Match after) {
    with("arrive_late", [owner = owner_, after = std::move(after)](const FaultCall& call) {
        {
            const std::lock_guard lock(owner->mutex_);
            owner->late_.push_back({without_sink(call.request), after});
        }
        return owner->time_out(call.deadline);
    });
}

void Rule::delay(std::chrono::nanoseconds before, std::chrono::nanoseconds after) {
    with("delay", [owner = owner_, before, after](const FaultCall& call) -> Result<http::Response> {
        if (!owner->pass_time(before, call.deadline)) return owner->time_out(call.deadline);
        auto answer = call.forward(without_sink(call.request));
        if (!owner->pass_time(after, call.deadline)) return owner->time_out(call.deadline);
        if (!answer) return answer;
        return fake::deliver(call.request, std::move(*answer));
    });
}

void Rule::meanwhile(std::function<void()> action) {
    with("meanwhile", [action = std::move(action)](const FaultCall& call) {
        action();
        return call.forward(call.request);
    });
}

void Rule::afterwards(std::function<void()> action) {
    with("afterwards", [action = std::move(action)](const FaultCall& call) {
        auto answer = call.forward(call.request);
        action();
        return answer;
    });
}

}  // namespace azlock::test
