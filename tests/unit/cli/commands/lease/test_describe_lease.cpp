// Leases and broken leases in JSON and in words.
#include <nlohmann/json.hpp>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "cli/commands/lease/describe_lease.hpp"
#include "cli/program/this_user.hpp"
#include "ops/lease/break_leases.hpp"
#include "support/catch.hpp"
#include "unit/environment.hpp"

namespace azlock::cli {
namespace {

nlohmann::ordered_json parsed(const Json& json) {
    return nlohmann::ordered_json::parse(json.dump());
}

const WallTime kSince = parse_iso8601("2026-11-21T08:00:00Z").value();
const WallTime kNow = kSince + std::chrono::minutes(12);

ops::LeaseView view(const std::string& state, const azure::Metadata& metadata) {
    const bool locked = state == "leased" || state == "breaking";
    const azure::LeaseInfo lease{locked ? "locked" : "unlocked", state, state == "leased" ? "fixed" : ""};
    return ops::make_lease_view(lease, "\"0x1\"", "", metadata, kNow);
}

azure::Metadata record() {
    ops::OwnerRecord out;
    out.owner = "deploy";
    out.host = "ci-7";
    out.pid = 4121;
    out.fence = 17;
    out.run = "https://ci.example/17";
    out.since = kSince;
    out.ttl = std::chrono::seconds(60);
    return with_owner_record({}, out);
}

azure::Metadata terraform(const std::string& id) {
    const std::string json = R"({"ID":")" + id + R"(","Who":"ann@laptop","Created":"2026-11-21T08:00:00Z"})";
    return {{"terraformlockid", base64_encode(as_bytes(json))}};
}

bool has(const std::vector<std::string>& lines, const std::string& wanted) {
    return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

}  // namespace

TEST_CASE("lease show names the holder, and the way to end its lease") {
    const auto lines = describe(view("leased", record()), "jobs/nightly");
    CHECK(has(lines, "state:             leased"));
    CHECK(has(lines, "duration:          fixed"));
    CHECK(has(lines, "held by:           deploy@ci-7 pid 4121 for 12 min, run https://ci.example/17"));
    CHECK(has(lines, "fence:             17"));
    CHECK(has(lines, "to free it:        azlock lease break jobs/nightly"));
    CHECK(has(describe(view("leased", {}), "c/b"), "held by:           somebody who left no record"));
}

TEST_CASE("who had a lease that is over is not said to hold it, nor for how long") {
    const auto lines = describe(view("expired", record()), "jobs/nightly");
    CHECK(has(lines, "last held by:      deploy@ci-7 pid 4121 since 2026-11-21T08:00:00Z, run https://ci.example/17"));
    for (const std::string& line : lines) CHECK(line.find("to free it") == std::string::npos);
    CHECK(holder_sentence(view("available", {})).empty());
    CHECK(parsed(to_json(view("expired", record())))["held_seconds"].is_null());
}

TEST_CASE("a Terraform lease is released by its id, with a name that a shell takes") {
    const auto lines =
        describe(view("leased", terraform("AAAAAAAA-1111-2222-3333-444444444444")), "tf state/it's.tfstate");
    CHECK(has(lines, "held by:           Terraform: ann@laptop for 12 min"));
    CHECK(has(lines,
              "to free it:        azlock lease release 'tf state/it'\\''s.tfstate' --lease-id "
              "aaaaaaaa-1111-2222-3333-444444444444"));
    CHECK(has(describe(view("leased", terraform("x; rm -rf")), "c/b"), "to free it:        azlock lease break c/b"));
}

TEST_CASE("a lease as JSON has every key, known or not") {
    const auto full = parsed(to_json(view("leased", record())));
    CHECK(full["state"] == "leased");
    CHECK(full["duration"] == "fixed");
    CHECK(full["holder"]["owner"] == "deploy");
    CHECK(full["holder"]["pid"] == 4121);
    CHECK(full["holder"]["fence"] == 17);
    CHECK(full["holder"]["ttl"] == 60.0);
    CHECK(full["holder"]["since"] == "2026-11-21T08:00:00Z");
    CHECK(full["holder"]["command"].is_null());
    CHECK(full["held_seconds"] == 720.0);
    CHECK(full["foreign"].is_null());
    const auto none = parsed(to_json(view("available", {})));
    CHECK(none["holder"].is_null());
    CHECK(none["duration"].is_null());
    CHECK(none["holder_is_dead"] == false);
    CHECK(parsed(to_json(view("broken", ops::with_dead_mark(record()))))["holder_is_dead"] == true);
    CHECK(parsed(to_json(view("leased", terraform("x"))))["foreign"]["tool"] == "terraform");
}

TEST_CASE("what became of a break, in words") {
    ops::BreakReport report;
    report.before = view("leased", record());
    report.seconds_left = 38;
    report.period = 38;
    CHECK(ops::describe_break("c/b", report) ==
          "c/b: broken, free in 38 s; it was held by deploy@ci-7 pid 4121 for 12 min, run https://ci.example/17");
    report.seconds_left = 0;
    report.dead_mark = true;
    CHECK(ops::describe_break("c/b", report)
              .find("c/b: broken, free now, and nobody waits for its holder; it was held by") == 0);
    report.dead_mark = false;
    CHECK(ops::describe_break("c/b", report).find("somebody else has taken it") != std::string::npos);
    report.dead_mark.reset();
    report.outcome = ops::BreakReport::Outcome::would_break;
    CHECK(ops::describe_break("c/b", report).find("c/b: would be broken in 38 s; it is held by deploy") == 0);
    report.outcome = ops::BreakReport::Outcome::no_match;
    report.why = "its record has no run";
    CHECK(ops::describe_break("c/b", report).find("c/b: not broken: its record has no run; it is held by") == 0);
    for (const auto& [state, text] : {std::pair{"available", "c/b: was not leased"},
                                      std::pair{"expired", "c/b: was not leased: its lease had expired"},
                                      std::pair{"broken", "c/b: was not leased: it was broken before"}}) {
        report = {};
        report.outcome = ops::BreakReport::Outcome::not_leased;
        report.before = view(state, record());
        CHECK(ops::describe_break("c/b", report) == text);
    }
    const auto json = parsed(break_json("c/b", report));
    for (const char* key :
         {"target", "outcome", "was", "period", "free_in", "marked_dead", "why", "holder", "foreign", "held_seconds"}) {
        CHECK(json.contains(key));
    }
    CHECK(json["outcome"] == "not_leased");
    CHECK(json["free_in"].is_null());
}

TEST_CASE("who runs azlock is told by the system, and the run by the CI's variables, without a secret") {
    test::Environment environment;
    const std::vector<const char*> variables{"CI_JOB_URL",          "BUILD_URL",     "CIRCLE_BUILD_URL",
                                             "BUILDKITE_BUILD_URL", "GITHUB_RUN_ID", "GITHUB_REPOSITORY",
                                             "GITHUB_SERVER_URL",   "BUILD_BUILDID"};
    for (const char* name : variables) unsetenv(name);
    CHECK(!this_user().owner.empty());
    CHECK(!this_user().host.empty());
    CHECK(this_user().run.empty());
    environment.set("BUILD_BUILDID", "99");
    CHECK(this_user().run == "99");
    environment.set("GITHUB_RUN_ID", "17");
    CHECK(this_user().run == "17");
    environment.set("GITHUB_REPOSITORY", "a/b");
    environment.set("GITHUB_SERVER_URL", "https://github.com");
    CHECK(this_user().run == "https://github.com/a/b/actions/runs/17");
    environment.set("CI_JOB_URL", "https://ci.example/jobs/1?sig=S3cretS3cret");
    CHECK(this_user().run.find("https://ci.example/jobs/1") == 0);
    CHECK(this_user().run.find("S3cret") == std::string::npos);
    for (const char* name : variables) unsetenv(name);
}

}  // namespace azlock::cli
