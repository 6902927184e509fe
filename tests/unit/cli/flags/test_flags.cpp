// The readers of flag values turn what users write into what the service takes, or give a usage error.
#include "cli/flags/flags.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

Result<std::string> since(const std::string& text) {
    ConditionFlags flags;
    flags.values.if_modified_since = text;
    const auto read = read_conditions(flags);
    if (!read) return fail(read.error());
    return read->if_modified_since;
}

bool parse(Parser& app, std::vector<std::string> arguments) {
    const auto parsed = app.parse(std::move(arguments));
    if (!parsed) CHECK(parsed.error().code == ErrorCode::usage);
    return parsed.has_value();
}

}  // namespace

TEST_CASE("dates are taken as the service writes them and as people do, and sent as the service wants them") {
    const std::string wanted = "Sat, 21 Nov 2026 08:00:00 GMT";
    CHECK(since(wanted) == wanted);
    CHECK(since("2026-11-21T08:00:00Z") == wanted);
    CHECK(since("2026-11-21 08:00:00Z") == wanted);
    CHECK(since("2026-11-21T09:30:00+01:30") == wanted);
    CHECK(since("2026-11-21T08:00Z") == wanted);
    CHECK(since("2026-11-21") == "Sat, 21 Nov 2026 00:00:00 GMT");
    CHECK(since("2024-02-29") == "Thu, 29 Feb 2024 00:00:00 GMT");
    CHECK(since("") == "");
}

TEST_CASE("what is no date is a usage error that names the flag and an example") {
    for (const char* text :
         {"yesterday", "2026-13-01", "2026-00-01", "2026-02-30", "2026-11-21T08:00:00", "2026-11-21T08:00:00+0100",
          "2026-11-21T25:00:00Z", "21.11.2026", "2026-11-2", "2026-11-21T08:00:0xZ", "\n"}) {
        CAPTURE(text);
        for (const bool modified : {true, false}) {
            ConditionFlags flags;
            (modified ? flags.values.if_modified_since : flags.values.if_unmodified_since) = text;
            const auto read = read_conditions(flags);
            REQUIRE(!read);
            CHECK(read.error().code == ErrorCode::usage);
            CHECK(read.error().message.find(modified ? "--if-modified-since" : "--if-unmodified-since") == 0);
            CHECK(read.error().message.find('\n') == std::string::npos);
            CHECK(!read.error().hint.empty());
        }
    }
}

TEST_CASE("ETags and lease ids pass unchanged, unless a header cannot hold them") {
    ConditionFlags flags;
    flags.values.if_match = "\"0x8DC\"";
    flags.values.if_none_match = "*";
    flags.values.lease_id = "0f0e0d0c-0b0a-4908-8706-050403020100";
    const auto read = read_conditions(flags);
    REQUIRE(read);
    CHECK(read->if_match == "\"0x8DC\"");
    CHECK(read->if_none_match == "*");
    CHECK(read->lease_id == flags.values.lease_id);
    for (const char* bad : {"a b", "a\nX-Evil: 1", "\x7f", "\xC3\xA9"}) {
        for (std::string azure::Conditions::*field :
             {&azure::Conditions::if_match, &azure::Conditions::if_none_match, &azure::Conditions::lease_id}) {
            ConditionFlags wrong;
            wrong.values.*field = bad;
            const auto refused = read_conditions(wrong);
            REQUIRE(!refused);
            CHECK(refused.error().code == ErrorCode::usage);
            CHECK(refused.error().message.find('\n') == std::string::npos);
        }
    }
}

TEST_CASE("global flags are read, in any order") {
    Parser app;
    GlobalFlags flags;
    add_global_flags(app, flags);
    CHECK(parse(app, {"--retries", "0", "--timeout", "1m30s", "-vv", "--account=aaa", "--json", "-q", "--try-timeout",
                      "500ms"}));
    CHECK(flags.retries == 0);
    CHECK(flags.timeout == std::chrono::seconds(90));
    CHECK(flags.try_timeout == std::chrono::milliseconds(500));
    CHECK(flags.verbose == 2);
    CHECK(flags.account == "aaa");
    CHECK(flags.json);
    CHECK(flags.quiet);
    CHECK(!flags.allow_insecure_http);
}

TEST_CASE("a bad value of a global flag is an error of the parser") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--retries", "-1"},
                                                      {"--retries", "many"},
                                                      {"--retries", "1001"},
                                                      {"--timeout", "soon"},
                                                      {"--timeout"},
                                                      {"--colour"}}) {
        Parser app;
        GlobalFlags flags;
        add_global_flags(app, flags);
        CHECK(!parse(app, arguments));
    }
}

TEST_CASE("sizes are read with their units") {
    Parser app;
    std::optional<std::uint64_t> size;
    add_size(app, "--size", size, "");
    CHECK(parse(app, {"--size", "4KiB"}));
    CHECK(size == 4096U);
    CHECK(!parse(app, {"--size", "big"}));
}

}  // namespace azlock::cli
