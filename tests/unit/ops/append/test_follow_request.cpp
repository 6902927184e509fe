// What a user asks of a download: whether the blob is followed, and what does not go together.
#include "ops/append/follow_request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

// The message of the refusal; empty if there is none.
std::string refusal_of(const FollowRequest& request) {
    const auto made = make_follow_options(request);
    if (made) return {};
    CHECK(made.error().code == ErrorCode::usage);
    return made.error().message;
}

}  // namespace

TEST_CASE("a blob is followed on request, from its beginning and every two seconds without a wish") {
    FollowRequest request;
    REQUIRE(make_follow_options(request));
    CHECK(!*make_follow_options(request));
    request.follow = true;
    request.file = GENERATE(as<std::string>{}, "", "-");
    const auto usual = make_follow_options(request).value();
    CHECK(!usual->from_end);
    CHECK(usual->interval == std::chrono::seconds(2));
    CHECK(!usual->retry.retry_for);
    request.from_end = true;
    request.interval = std::chrono::milliseconds(300);
    const auto wished = make_follow_options(request).value();
    CHECK(wished->from_end);
    CHECK(wished->interval == std::chrono::milliseconds(300));
}

TEST_CASE("what is for a whole download does not go with following") {
    FollowRequest request;
    request.follow = true;
    std::string part;
    SECTION("a file") {
        request.file = "copy";
        part = "--follow writes to standard output";
    }
    SECTION("JSON") {
        request.json = true;
        part = "--json does not go with --follow";
    }
    SECTION("a condition") {
        request.conditions.if_match = "*";
        part = "conditions, --lease-id or --etag-file";
    }
    SECTION("a lease") {
        request.conditions.lease_id = "id";
        part = "conditions, --lease-id or --etag-file";
    }
    SECTION("an ETag file") {
        request.etag_file = "etag";
        part = "conditions, --lease-id or --etag-file";
    }
    SECTION("a time for outages") {
        request.retry_for = std::chrono::seconds(1);
        part = "--retry-for does not go with --follow";
    }
    SECTION("no time between two looks") {
        request.interval = std::chrono::milliseconds(0);
        part = "--interval: must be more than 0";
    }
    INFO(part);
    CHECK(refusal_of(request).find(part) != std::string::npos);
}

TEST_CASE("what is for following needs --follow, and standard output carries one thing") {
    FollowRequest request;
    request.file = "-";
    CHECK(refusal_of(request).empty());
    request.json = true;
    CHECK(refusal_of(request) == "--json needs a FILE: standard output carries the content");
    request.file = "copy";
    CHECK(refusal_of(request).empty());
    SECTION("from the end") {
        request.from_end = true;
    }
    SECTION("an interval") {
        request.interval = std::chrono::seconds(1);
    }
    CHECK(refusal_of(request) == "--from-end and --interval go with --follow");
}

}  // namespace azlock::ops
