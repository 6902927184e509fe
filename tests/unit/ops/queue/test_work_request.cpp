// What a user asks of a worker, and which of its ends counts as the exit code.
#include <csignal>

#include "ops/queue/work_request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;

OwnerRecord holder() {
    OwnerRecord out;
    out.owner = "deploy";
    out.command = "./encode";
    return out;
}

WorkCodes codes() {
    return {123, [](const Error& error) { return error.lost ? 122 : 69; }};
}

void fail_with(WorkResult& result, const Error& error, os::StartFailure start = os::StartFailure::none) {
    result.failure = WorkerFailure{error, start};
    result.outcome = fail(error);
}

}  // namespace

TEST_CASE("a worker's rules have the times and the record of its request") {
    WorkRequest request;
    request.rules.max_attempts = 7;
    request.rules.retry_delay = seconds(3);
    request.ttl = seconds(20);
    request.kill_after = seconds(2);
    request.orphans = "kill";
    const auto rules = make_work_rules(request, holder()).value();
    CHECK(rules.max_attempts == 7);
    CHECK(rules.retry_delay == seconds(3));
    CHECK(rules.timing.ttl == seconds(20));
    CHECK(rules.timing.kill_after == seconds(2));
    CHECK(rules.orphans == Orphans::kill);
    CHECK(rules.owner.owner == "deploy");
    CHECK(rules.owner.command == "./encode");
    const auto usual = make_work_rules({}, holder()).value();
    CHECK(usual.timing.ttl == kDefaultTtl);
    CHECK(usual.orphans == Orphans::wait);
}

TEST_CASE("what does not fit together is refused before there is a queue") {
    WorkRequest request;
    SECTION("a lease that is too short") {
        request.ttl = seconds(14);
    }
    SECTION("processes that would run on without a lease") {
        request.orphans = "leave";
    }
    SECTION("no pause between two looks at an empty queue") {
        request.limits.poll = std::chrono::milliseconds(0);
    }
    SECTION("--no-wait alone") {
        request.limits.no_wait = true;
    }
    SECTION("--delayed alone") {
        request.limits.delayed = true;
    }
    CHECK(make_work_rules(request, holder()).error().code == ErrorCode::usage);
    request = {};
    request.limits.drain = request.limits.no_wait = request.limits.delayed = true;
    CHECK(make_work_rules(request, holder()));
}

TEST_CASE("of several ends of a worker the one that asks most for a look is the exit code") {
    WorkResult result;
    CHECK(exit_code_of(result, codes()) == 0);
    result.outcome = fail(ErrorCode::unavailable, "x");
    CHECK(exit_code_of(result, codes()) == 69);
    result.some_failed = true;
    CHECK(exit_code_of(result, codes()) == 123);
    result.signal = SIGTERM;
    CHECK(exit_code_of(result, codes()) == 143);
    Error error = make_error(ErrorCode::precondition, "x");
    fail_with(result, error);
    CHECK(exit_code_of(result, codes()) == 143);
    error.lost = true;
    fail_with(result, error);
    CHECK(exit_code_of(result, codes()) == 122);
    fail_with(result, error, os::StartFailure::not_found);
    CHECK(exit_code_of(result, codes()) == 127);
}

}  // namespace azlock::ops
