// What a user asks of an append: which lease it takes, how long it goes on in an outage, and what does not go together.
#include "ops/append/request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kLease = "11111111-2222-3333-4444-555555555555";

AppendLease guard_of(const AppendRequest& request) {
    const auto options = make_appender_options(request, false);
    REQUIRE(options);
    return options->send.lease;
}

}  // namespace

TEST_CASE("by default an append takes turns, and other wishes choose another lease") {
    AppendRequest request;
    SECTION("turns") {
        CHECK(guard_of(request) == AppendLease::turns);
    }
    SECTION("exclusive, also because the file is resumed") {
        (GENERATE(false, true) ? request.exclusive : request.resume) = true;
        CHECK(guard_of(request) == AppendLease::exclusive);
    }
    SECTION("none") {
        request.no_lease = true;
        CHECK(guard_of(request) == AppendLease::none);
    }
    SECTION("the user's, whose id gets its usual form") {
        request.options.send.lease_id = "{11111111-2222-3333-4444-55555555555A}";
        request.resume = GENERATE(false, true);
        CHECK(guard_of(request) == AppendLease::given);
        CHECK(make_appender_options(request, false)->send.lease_id == "11111111-2222-3333-4444-55555555555a");
    }
}

TEST_CASE("an outage may last five minutes for a file, and forever for a pipe, unless the user says how long") {
    AppendRequest request;
    CHECK(make_appender_options(request, false)->retry.retry_for == kRetryFiles);
    CHECK(!make_appender_options(request, true)->retry.retry_for);
    request.retry_for = std::chrono::milliseconds(0);
    CHECK(make_appender_options(request, true)->retry.retry_for == std::chrono::nanoseconds(0));
    CHECK(make_appender_options(request, false)->retry.retry_for == std::chrono::nanoseconds(0));
}

TEST_CASE("the option --wait is about the turn and about a lease in the way of an append without one") {
    AppendRequest request;
    CHECK(!make_appender_options(request, true)->turn.wait);
    request.wait = std::chrono::seconds(3);
    const auto options = make_appender_options(request, true);
    CHECK(options->turn.wait == std::chrono::seconds(3));
    CHECK(options->send.wait == std::chrono::seconds(3));
}

TEST_CASE("wishes that contradict one another are refused") {
    using Change = void (*)(AppendRequest&);
    static const Change kExclusive = [](AppendRequest& r) { r.exclusive = true; };
    static const Change kNoLease = [](AppendRequest& r) { r.no_lease = true; };
    static const Change kLeased = [](AppendRequest& r) { r.options.send.lease_id = kLease; };
    static const Change kResume = [](AppendRequest& r) { r.resume = true; };
    static const Change kRotate = [](AppendRequest& r) { r.options.rotate = true; };
    static const Change kIfMatch = [](AppendRequest& r) { r.options.send.if_match = "\"0x1\""; };
    static const Change kNoRoom = [](AppendRequest& r) { r.options.send.max_size = 0; };
    static const Change kTwoDays = [](AppendRequest& r) { r.shutdown_timeout = std::chrono::hours(48); };
    static const Change kBadId = [](AppendRequest& r) { r.options.send.lease_id = "mine"; };
    const std::vector<std::vector<Change>> refused{{kExclusive, kNoLease},
                                                   {kExclusive, kLeased},
                                                   {kNoLease, kLeased},
                                                   {kResume, kNoLease},
                                                   {kResume, kRotate},
                                                   {kResume, kIfMatch},
                                                   {kRotate, kLeased},
                                                   {kRotate, kNoLease},
                                                   {kNoRoom},
                                                   {kTwoDays},
                                                   {kBadId}};
    for (std::size_t i = 0; i < refused.size(); ++i) {
        CAPTURE(i);
        AppendRequest request;
        for (const Change change : refused[i]) change(request);
        const auto options = make_appender_options(request, false);
        REQUIRE(!options);
        CHECK(options.error().code == ErrorCode::usage);
    }
    AppendRequest both;
    kResume(both);
    kExclusive(both);
    CHECK(make_appender_options(both, false));
}

}  // namespace azlock::ops
