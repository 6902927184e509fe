// Counting the requests of the script's rules, reporting what has not fired, and time.
#include "support/faulty_transport.hpp"

#include <algorithm>
#include <exception>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/fake_wire.hpp"

namespace azlock::test {

Match operation(std::string_view name) {
    return [wanted = std::string(name)](const http::Request& request) { return fake::operation_of(request) == wanted; };
}

Match lease_action(std::string_view action) {
    return [wanted = std::string(action)](const http::Request& request) {
        return fake::operation_of(request).starts_with("Lease ") &&
               iequals(request.headers.get("x-ms-lease-action"), wanted);
    };
}

Match any_request() {
    return [](const http::Request&) { return true; };
}

FaultyTransport::FaultyTransport(http::Transport& inner, FakeClock& clock) : inner_(inner), clock_(clock) {}

FaultyTransport::~FaultyTransport() {
    if (std::uncaught_exceptions() == 0) expect_all_fired();
}

FaultyTransport::Rule& FaultyTransport::on(std::string_view operation_name) {
    return on(operation(operation_name), std::string(operation_name));
}

FaultyTransport::Rule& FaultyTransport::on(Match match, std::string what) {
    const std::lock_guard lock(mutex_);
    Rule& rule = rules_.emplace_back();
    rule.owner_ = this;
    rule.match_ = std::move(match);
    rule.what_ = std::move(what);
    return rule;
}

Fault FaultyTransport::next_fault(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    operations_.emplace_back(fake::operation_of(request));
    Fault out;
    for (Rule& rule : rules_) {
        if (!rule.match_(request)) continue;
        ++rule.seen_;
        const bool due = rule.seen_ >= rule.first_ && rule.seen_ - rule.first_ < rule.count_;
        if (!due || out || !rule.fault_) continue;
        ++rule.fired_;
        out = rule.fault_;
    }
    return out;
}

Result<http::Response> FaultyTransport::send(const http::Request& request, Deadline deadline, std::stop_token stop) {
    const Fault fault = next_fault(request);
    const Forward forward = [this, deadline, &stop](const http::Request& copy) {
        return inner_.send(copy, deadline, stop);
    };
    const std::size_t waiting = late_count();  // without a request that this one's own fault may delay
    // Where nothing moves, the attempt ends when the request says so.
    const bool bounded = request.quiet_timeout.count() > 0;
    const Deadline until = bounded ? std::min(deadline, clock_.after(request.quiet_timeout)) : deadline;
    auto answer = fault ? fault({request, until, forward}) : forward(request);
    deliver_late(request, waiting);
    return answer;
}

std::size_t FaultyTransport::late_count() const {
    const std::lock_guard lock(mutex_);
    return late_.size();
}

void FaultyTransport::deliver_late(const http::Request& after, std::size_t waiting) {
    std::vector<http::Request> due;
    {
        const std::lock_guard lock(mutex_);
        for (Late& late : late_) {
            if (waiting-- == 0) break;
            if (late.arrived || !late.after(after)) continue;
            late.arrived = true;
            due.push_back(late.request);
        }
    }
    // Nobody waits for the answer any more.
    for (const http::Request& request : due) (void)inner_.send(request, kNoDeadline, {});
}

void FaultyTransport::clear() {
    expect_all_fired();
    const std::lock_guard lock(mutex_);
    rules_.clear();
}

std::vector<std::string> FaultyTransport::unfired() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const Rule& rule : rules_) {
        const std::size_t wanted = rule.count_ == Rule::kNoEnd ? 1 : rule.count_;
        if (rule.fault_ && rule.fired_ >= wanted) continue;
        out.push_back((rule.fault_ ? rule.fault_name_ : "a rule without a fault") + " on " + rule.what_ + " number " +
                      std::to_string(rule.first_) + ": fired " + std::to_string(rule.fired_) + " of " +
                      std::to_string(wanted) + ", seen " + std::to_string(rule.seen_));
    }
    for (const Late& late : late_) {
        if (!late.arrived) out.push_back("a late request never arrived: " + late.request.loggable_target());
    }
    return out;
}

void FaultyTransport::expect_all_fired() {
    const auto missing = unfired();
    {
        const std::lock_guard lock(mutex_);
        rules_.clear();
        late_.clear();
    }
    for (const std::string& what : missing) report("scripted fault did not fire: " + what);
}

void FaultyTransport::report(const std::string& what) {
    if (reporter_) {
        reporter_(what);
    } else {
        FAIL_CHECK(what);
    }
}

void FaultyTransport::report_to(std::function<void(const std::string&)> reporter) {
    reporter_ = std::move(reporter);
}

std::size_t FaultyTransport::requests() const {
    const std::lock_guard lock(mutex_);
    return operations_.size();
}

std::size_t FaultyTransport::requests(std::string_view operation_name) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(operations_.begin(), operations_.end(), operation_name));
}

Result<http::Response> FaultyTransport::time_out(Deadline deadline) {
    Error error = make_error(ErrorCode::unavailable, "scripted: no answer until the deadline");
    error.fault = TransportFault::timeout;
    error.retryable = true;
    error.may_have_applied = true;
    if (deadline == kNoDeadline) {
        report("a request without a deadline was stalled: it would wait for ever");
    } else {
        pass_time(kNoDeadline - deadline, deadline);
    }
    return fail(std::move(error));
}

bool FaultyTransport::pass_time(std::chrono::nanoseconds span, Deadline deadline) {
    const std::lock_guard lock(time_mutex_);
    const auto left = std::max(deadline - clock_.now(), std::chrono::nanoseconds(0));
    clock_.advance(std::min(span, left));
    return span < left;
}

}  // namespace azlock::test
