// base/error and base/result: the stable words of the codes, and the short ways to make an error.
#include <array>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/result.hpp"
#include "support/catch.hpp"

using namespace azlock;

TEST_CASE("every error code has its own stable lower-case word") {
    constexpr std::array kCodes{ErrorCode::usage,       ErrorCode::config,        ErrorCode::auth,
                                ErrorCode::data,        ErrorCode::input_missing, ErrorCode::io,
                                ErrorCode::unavailable, ErrorCode::precondition,  ErrorCode::busy,
                                ErrorCode::not_found,   ErrorCode::not_modified,  ErrorCode::cancelled,
                                ErrorCode::internal};
    std::set<std::string> words;
    for (const ErrorCode code : kCodes) {
        const std::string word(to_string(code));
        INFO(word);
        CHECK(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos);
        CHECK(words.insert(word).second);
    }
    CHECK(to_string(ErrorCode::not_found) == "not_found");
    CHECK(to_string(ErrorCode::input_missing) == "input_missing");
}

TEST_CASE("an error made by hand claims nothing about an answer of the service") {
    const Error error = make_error(ErrorCode::io, "disk is full", "make room");
    CHECK(error.code == ErrorCode::io);
    CHECK(error.message == "disk is full");
    CHECK(error.hint == "make room");
    CHECK(error.http_status == 0);
    CHECK(error.service_code.empty());
    CHECK_FALSE(error.retryable);
    CHECK_FALSE(error.may_have_applied);
    CHECK(error.fault == TransportFault::none);
    CHECK_FALSE(error.retry_after_ms);
}

TEST_CASE("the end of the whole command's time is told with the flag, and with what was under way") {
    CHECK(deadline_passed().code == ErrorCode::unavailable);
    CHECK(deadline_passed().message == "the deadline passed (--timeout)");
    CHECK(deadline_passed("while it ran").message == "the deadline passed (--timeout) while it ran");
}

TEST_CASE("fail() turns an error into any result") {
    const Result<int> made = fail(ErrorCode::usage, "no");
    REQUIRE_FALSE(made);
    const Status passed_on = fail(made.error());
    REQUIRE_FALSE(passed_on);
    CHECK(passed_on.error().code == ErrorCode::usage);
    CHECK(passed_on.error().message == "no");
}
