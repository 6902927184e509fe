// Tables of a run that is disturbed at each of its requests: the answer is lost, another writer comes first, or the run
// is killed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

// The answer to a request is lost, once or several times in a row.
struct Loss {
    const char* name;
    std::size_t times;
    bool of_reads;
    bool late;
    std::function<void(FaultyTransport::Rule&)> fault;
};
inline const std::vector<Loss>& losses() {
    // Eight times in a row is more often than a request is repeated.
    static const std::vector<Loss> all{{"carried out", 1, true, false, [](auto& rule) { rule.drop_reply(); }},
                                       {"carried out", 8, true, false, [](auto& rule) { rule.drop_reply(); }},
                                       {"not carried out", 1, false, false, [](auto& rule) { rule.lose_request(); }},
                                       {"not carried out", 8, false, false, [](auto& rule) { rule.lose_request(); }},
                                       {"carried out late", 1, false, true, [](auto& rule) { rule.arrive_late(); }}};
    return all;
}

[[nodiscard]] inline bool is_read(const LoggedRequest& request) {
    return request.method == http::Method::get || request.method == http::Method::head;
}
// Calls `check` with each loss and each request that it can hit, counted from 1. `log`: of the run without a fault.
inline void for_each_loss(const std::vector<LoggedRequest>& log,
                          const std::function<void(const Loss&, std::size_t request)>& check) {
    for (std::size_t i = 0; i < log.size(); ++i) {
        for (const Loss& loss : losses()) {
            if (!is_read(log[i]) || loss.of_reads) check(loss, i + 1);
        }
    }
}

// What happens to one request of a run that writes "box/data".
struct Disturbed {
    enum class By {
        loss,
        writer,      // another writer comes just before the request
        overwriter,  // the request is carried out, another writer comes, and the answer is lost
        kill         // nothing is sent after the request
    };
    By by;
    std::size_t times;  // that answers are lost
};

template <typename R>
struct DisturbedRun {
    std::string name;
    std::function<void(R&)> prepare;
    std::function<Status(R&)> run;
    std::function<void(R&)> another_writes;
    // The run has ended with `result`. Notes in the rig what the second run must find.
    std::function<void(R&, const Disturbed&, const Status& result)> check;
    // A repeat without a fault, and what is then in the blob.
    std::function<void(R&, const Disturbed&)> check_repeat;
};

template <typename R>
void disturb_once(const DisturbedRun<R>& deed, const Disturbed& by, const std::function<void(R&)>& script) {
    R r;
    deed.prepare(r);
    r.clock.advance(std::chrono::minutes(2));
    r.faulty.report_to([](const std::string&) {});
    script(r);
    const Status result = deed.run(r);
    CAPTURE(why(result));
    deed.check(r, by, result);
    r.faulty.clear();
    r.clock.advance(std::chrono::minutes(2));
    deed.check_repeat(r, by);
}

// Runs it once without a fault, then once for each request and each thing that can happen to it.
template <typename R>
void disturb_each_request(const DisturbedRun<R>& deed) {
    using By = Disturbed::By;
    CAPTURE(deed.name);
    R undisturbed;
    deed.prepare(undisturbed);
    undisturbed.clock.advance(std::chrono::minutes(2));
    undisturbed.service.clear_log();
    REQUIRE(deed.run(undisturbed));
    const auto log = undisturbed.service.log();
    for_each_loss(log, [&](const Loss& loss, std::size_t request) {
        CAPTURE(loss.name, loss.times, request, log[request - 1].operation);
        disturb_once<R>(deed, {By::loss, loss.times},
                        [&](R& r) { loss.fault(r.faulty.on(any_request()).nth(request, loss.times)); });
    });
    for (std::size_t request = 1; request <= log.size(); ++request) {
        CAPTURE(request, log[request - 1].operation);
        {
            INFO("another writer");
            disturb_once<R>(deed, {By::writer, 0}, [&](R& r) {
                r.faulty.on(any_request()).nth(request).meanwhile([&] { deed.another_writes(r); });
            });
        }
        if (!is_read(log[request - 1])) {
            INFO("carried out, and another writer before the answer is lost");
            disturb_once<R>(deed, {By::overwriter, 1}, [&](R& r) {
                r.faulty.on(any_request()).nth(request).with("carried out and overwritten", [&](const FaultCall& call) {
                    (void)call.forward(call.request);
                    deed.another_writes(r);
                    Error error = make_error(ErrorCode::unavailable, "the connection broke");
                    error.fault = TransportFault::reset;
                    error.retryable = error.may_have_applied = true;
                    return Result<http::Response>(fail(std::move(error)));
                });
            });
        }
        if (request < log.size()) {
            INFO("killed after the request");
            disturb_once<R>(deed, {By::kill, 0},
                            [&](R& r) { r.faulty.on(any_request()).from(request + 1).return_status(403, "Killed"); });
        }
    }
}

}  // namespace azlock::test
