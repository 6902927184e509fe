// The rules of a lock and its guard on a fake clock: a test says what the network answers, and sees what happens to the
// command.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ops/lock/lock_rules.hpp"
#include "os/guard_rules.hpp"
#include "support/fake_clock.hpp"

namespace azlock::test {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// The answer to a renew, and the time it takes. `after` below zero: no answer, only a timeout when the attempt ends.
struct Reply {
    nanoseconds after{milliseconds(20)};
    Result<azure::LeaseResult> result;
};

inline constexpr const char* kStoryLease = "11111111-2222-3333-4444-555555555555";

[[nodiscard]] inline Result<azure::LeaseResult> renewed(const std::string& id = kStoryLease) {
    azure::LeaseResult out;
    out.lease_id = id;
    return out;
}

[[nodiscard]] inline Result<azure::LeaseResult> refused(int status, const std::string& code = {}) {
    Error error = make_error(ErrorCode::unavailable, "refused for a test");
    error.http_status = status;
    error.service_code = code;
    return fail(std::move(error));
}

[[nodiscard]] inline Result<azure::LeaseResult> no_answer(TransportFault fault = TransportFault::timeout) {
    Error error = make_error(ErrorCode::unavailable, "no answer");
    error.fault = fault;
    return fail(std::move(error));
}

class Story {
  public:
    explicit Story(seconds ttl = seconds(60))
        : timing(ops::make_lock_timing(ttl, {}).value()),
          began(clock.now()),
          rules(timing, random, ops::now_on(clock), std::nullopt) {
        guard.started(points(), timing.kill_after.count());
    }

    // What the network answers from now on. Default: each renew succeeds.
    std::function<Reply(int number)> network = [](int) { return Reply{milliseconds(20), renewed()}; };
    std::function<std::string()> lease_state = [] { return std::string("leased"); };
    std::function<std::optional<int>()> break_time = [] { return std::optional<int>(0); };
    bool look_answers = true;
    // The result of writing the record, and the time it takes; below zero: none.
    std::function<std::pair<nanoseconds, Status>()> record = [] { return std::pair(milliseconds(20), Status()); };

    // Lets time pass while both processes run.
    void run(nanoseconds span) {
        const BootTime end = clock.now() + span;
        for (;;) {
            const BootTime next =
                std::min({rules.next(), guard_next(), events_.empty() ? kNoDeadline : events_.begin()->first});
            if (next > end) break;
            if (next > clock.now()) clock.advance(next - clock.now());
            turn();
        }
        clock.advance(end - clock.now());
    }
    void run_to(nanoseconds since_begin) { run(began + since_begin - clock.now()); }

    // Both processes are paused for this time, then go on.
    void sleep_through(nanoseconds span) {
        clock.advance(span);
        turn();
    }

    [[nodiscard]] bool running() const { return !frozen && !term_at && !kill_at; }
    [[nodiscard]] nanoseconds at(const std::optional<BootTime>& when) const { return when.value() - began; }

    FakeClock clock;
    SeededRandom random{7};
    ops::LockTiming timing;
    BootTime began;
    ops::LockRules rules;
    os::GuardRules guard;

    bool frozen = false;
    std::optional<BootTime> frozen_at;
    std::optional<BootTime> term_at;
    std::optional<BootTime> kill_at;
    std::vector<BootTime> renews;  // when they were sent
    std::vector<std::string> told;
    int records = 0;
    std::size_t in_flight = 0;
    std::size_t most_in_flight = 0;

    [[nodiscard]] bool was_told(const std::string& text) const {
        for (const std::string& line : told) {
            if (line.find(text) != std::string::npos) return true;
        }
        return false;
    }
    void act(const ops::LockActions& actions) {
        for (const ops::LockAction& action : actions) carry_out(action);
    }

  private:
    static os::BootNs ns(BootTime time) { return time.time_since_epoch().count(); }
    [[nodiscard]] os::EndPoints points() const { return {ns(rules.term_at()), ns(timing.kill_at(rules.sent()))}; }
    [[nodiscard]] BootTime guard_next() const {
        return guard.next() == os::kNeverNs ? kNoDeadline : BootTime(nanoseconds(guard.next()));
    }

    void turn() {
        while (!events_.empty() && events_.begin()->first <= clock.now()) {
            const auto event = events_.begin()->second;
            events_.erase(events_.begin());
            event();
        }
        const os::GuardSteps steps = guard.timer(ns(clock.now()));
        apply(steps);
        if (steps.late) act(rules.on_guard_late(ops::now_on(clock)));
        act(rules.on_time(ops::now_on(clock)));
    }

    void apply(const os::GuardSteps& steps) {
        if (kill_at) return;
        if (steps.freeze) {
            frozen = true;
            frozen_at = clock.now();
        }
        if (steps.term && !term_at) term_at = clock.now();
        if (steps.thaw) frozen = false;
        if (steps.kill) kill_at = clock.now();
    }

    void carry_out(const ops::LockAction& action) {
        using Kind = ops::LockAction::Kind;
        switch (action.kind) {
            case Kind::renew: return send(action.number, action.time);
            case Kind::points: return guard.new_points(points());
            case Kind::freeze: return apply(guard.freeze(ns(action.time)));
            case Kind::thaw: return apply(guard.thaw(points()));
            case Kind::rewrite_record: return write_record(action.number, action.time);
            case Kind::look:
                if (look_answers) later(milliseconds(20), [this] { act(rules.on_looked(lease_state(), now())); });
                return;
            case Kind::ask_break: {
                const BootTime sent = clock.now();
                return later(milliseconds(20), [this, sent] { act(rules.on_break_time(break_time(), sent, now())); });
            }
            case Kind::end: return apply(guard.end(ns(clock.now()), ns(action.time)));
            case Kind::tell: told.push_back(action.text); return;
        }
    }

    void send(int number, BootTime until) {
        renews.push_back(clock.now());
        most_in_flight = std::max(most_in_flight, ++in_flight);
        const Reply reply = network(number);
        const bool comes = reply.after >= nanoseconds(0) && clock.now() + reply.after < until;
        const auto answer = ops::read_renew(comes ? reply.result : no_answer(), kStoryLease);
        later(comes ? reply.after : until - clock.now(), [this, number, answer] {
            --in_flight;
            act(rules.on_renewed(number, answer, now()));
        });
    }

    void write_record(int number, BootTime until) {
        ++records;
        const auto [after, written] = record();
        if (after < nanoseconds(0) || clock.now() + after >= until) return;
        later(after,
              [this, number, answer = ops::read_write(written)] { act(rules.on_recorded(number, answer, now())); });
    }

    [[nodiscard]] ops::Now now() const { return ops::now_on(clock); }
    void later(nanoseconds span, std::function<void()> event) { events_.emplace(clock.now() + span, std::move(event)); }

    std::multimap<BootTime, std::function<void()>> events_;
};

}  // namespace azlock::test
