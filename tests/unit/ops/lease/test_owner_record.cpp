// The record of a lease's holder: written, read back whatever the metadata holds, and described in words.
#include "azure/names.hpp"
#include "base/http_date.hpp"
#include "ops/lease/owner_record.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WallTime kSince = parse_iso8601("2026-11-21T08:00:00Z").value();

OwnerRecord full() {
    OwnerRecord out;
    out.fence = 1'700'000'000'000;
    out.owner = "deploy";
    out.host = "ci-7";
    out.pid = 4121;
    out.command = "/usr/bin/make";
    out.run = "https://ci.example/run/17?a=1&b=50%25";
    out.since = kSince;
    out.ttl = seconds(60);
    out.renew_every = milliseconds(3750);
    out.kill_after = seconds(10);
    out.slots = 3;
    out.extra["team"] = "infra";
    return out;
}

}  // namespace

TEST_CASE("an owner record comes back as it was written") {
    const auto metadata = with_owner_record({}, full());
    CHECK(metadata.at("azl_since") == "2026-11-21T08:00:00Z");
    CHECK(metadata.at("azl_ttl") == "60s");
    CHECK(metadata.at("azl_renew_every") == "3750ms");
    const OwnerRecord back = read_owner_record(metadata);
    CHECK(back.fence == full().fence);
    CHECK(back.owner == "deploy");
    CHECK(back.host == "ci-7");
    CHECK(back.pid == 4121U);
    CHECK(back.command == "/usr/bin/make");
    CHECK(back.run == full().run);
    CHECK(back.since == kSince);
    CHECK(back.ttl == seconds(60));
    CHECK(back.renew_every == milliseconds(3750));
    CHECK(back.kill_after == seconds(10));
    CHECK(back.slots == 3U);
    CHECK(back.extra == full().extra);
    CHECK(back.unreadable.empty());
    CHECK(!back.empty());
    CHECK(with_owner_record(metadata, back) == metadata);
}

TEST_CASE("texts that no header carries are percent-encoded, and long ones are cut between characters") {
    OwnerRecord record;
    for (const std::string text :
         {"Jürgen Müller", " blanks  inside ", "tab\tand\nline", "100%", "%41", "a b", "é", "%"}) {
        CAPTURE(text);
        record.owner = text;
        const auto metadata = with_owner_record({}, record);
        CHECK(azure::check_metadata_value("azl_owner", metadata.at("azl_owner")));
        CHECK(read_owner_record(metadata).owner == text);
    }
    record.owner = "two words";
    CHECK(with_owner_record({}, record).at("azl_owner") == "two words");

    record.command.clear();
    for (int i = 0; i < 200; ++i) record.command += "ä";
    const auto cut = with_owner_record({}, record).at("azl_command");
    CHECK(cut.size() == 252);  // 42 characters of 6 bytes
    CHECK(read_owner_record({{"azl_command", cut}}).command.size() == 84);
    record.command = std::string(255, 'x') + " y";
    CHECK(azure::check_metadata_value("azl_command", with_owner_record({}, record).at("azl_command")));
}

TEST_CASE("a record replaces the former holder's and leaves what is not its own") {
    const azure::Metadata present{{"Job", "17"},          {"AZL_Owner", "old"},        {"azl_run", "old run"},
                                  {"azl_writes", "AAA="}, {"azl_fence_by", "other"},   {"azl_team", "old team"},
                                  {"Azl_Fence", "5"},     {"azl_dead", "some record"}, {"azl_slots", "2"}};
    OwnerRecord record;
    record.owner = "new";
    auto written = with_owner_record(present, record);
    CHECK(written == azure::Metadata{{"Job", "17"},
                                     {"azl_owner", "new"},
                                     {"azl_writes", "AAA="},
                                     {"azl_fence_by", "other"},
                                     {"Azl_Fence", "5"},
                                     {"azl_slots", "2"}});
    record.fence = 6;
    written = with_owner_record(present, record);
    CHECK(written.at("azl_fence") == "6");
    CHECK(!written.contains("Azl_Fence"));
}

TEST_CASE("garbage in a record is told apart from what is not there, and breaks nothing") {
    const OwnerRecord none = read_owner_record({{"azl", "x"}, {"azl_", "y"}, {"job", "17"}, {"azl_writes", "AAA="}});
    CHECK(none.empty());
    CHECK(none.unreadable.empty());
    for (const std::string bad : {"", "-1", "1e9", "99999999999999999999", "many", "1 2"}) {
        CAPTURE(bad);
        const OwnerRecord record = read_owner_record(
            {{"azl_fence", bad}, {"azl_pid", bad}, {"azl_slots", bad}, {"azl_ttl", bad}, {"azl_since", bad}});
        CHECK(!record.fence);
        CHECK(!record.pid);
        CHECK(!record.slots);
        CHECK(!record.ttl);
        CHECK(!record.since);
        CHECK(record.unreadable == std::set<std::string>{"azl_fence", "azl_pid", "azl_since", "azl_slots", "azl_ttl"});
    }
    const OwnerRecord long_spans = read_owner_record({{"azl_ttl", "61s"}, {"azl_renew_every", "100d"}});
    CHECK(!long_spans.ttl);
    CHECK(!long_spans.renew_every);
    CHECK(read_owner_record({{"azl_owner", "100%zz"}}).owner == "100%zz");
    CHECK(read_owner_record({{"azl_owner", "%ff"}}).owner == "%ff");
}

TEST_CASE("a mark that the holder is dead counts for the record that it was made for") {
    const auto first = with_owner_record({}, full());
    CHECK(!holder_is_dead(first));
    const auto marked = with_dead_mark(first);
    CHECK(holder_is_dead(marked));
    CHECK(read_owner_record(marked).extra == full().extra);

    OwnerRecord next = full();
    SECTION("another fence") {
        next.fence = *next.fence + 1;
    }
    SECTION("another time") {
        next.since = kSince + seconds(1);
    }
    SECTION("another process") {
        next.pid = 4122;
    }
    SECTION("another host") {
        next.host = "ci-8";
    }
    // A tool that keeps unknown metadata would also keep the mark: for the next holder it must not count.
    auto carried = with_owner_record(marked, next);
    CHECK(!carried.contains("azl_dead"));
    carried["azl_dead"] = marked.at("azl_dead");
    CHECK(!holder_is_dead(carried));
}

TEST_CASE("without a record there is no mark of death") {
    CHECK(with_dead_mark({{"job", "17"}}) == azure::Metadata{{"job", "17"}});
    CHECK(with_dead_mark({{"azl_fence", "7"}}) == azure::Metadata{{"azl_fence", "7"}});
    CHECK(!holder_is_dead({{"azl_dead", "-/-///-"}}));
    CHECK(!holder_is_dead({}));
}

TEST_CASE("an owner record in words") {
    CHECK(describe_owner(full(), kSince + std::chrono::minutes(12)) ==
          "deploy@ci-7 pid 4121 for 12 min, command /usr/bin/make, run https://ci.example/run/17?a=1&b=50%25, team "
          "infra");
    OwnerRecord record;
    CHECK(describe_owner(record, kSince) == "somebody who left no record");
    record.host = "ci-7";
    record.since = kSince;
    CHECK(describe_owner(record, kSince - seconds(1)) == "somebody@ci-7 since 2026-11-21T08:00:00Z");
    CHECK(describe_owner(record, {}) == "somebody@ci-7 since 2026-11-21T08:00:00Z");
    record.owner = "a\x1b[2Jb\nc";
    CHECK(describe_owner(record, {}).find_first_of("\x1b\n") == std::string::npos);
}

TEST_CASE("fields by their words") {
    OwnerRecord record;
    for (const std::string key : {"owner", "Host", "command", "run", "Team"}) {
        REQUIRE(set_owner_field(record, key, "value of " + key));
        CHECK(owner_field(record, key) == "value of " + key);
    }
    REQUIRE(set_owner_field(record, "pid", "17"));
    CHECK(owner_field(record, "pid") == "17");
    CHECK(!owner_field(record, "fence"));
    CHECK(!owner_field(record, "other"));
    record.fence = 5;
    CHECK(owner_field(record, "fence") == "5");
    for (const std::string key :
         {"fence", "since", "TTL", "slots", "dead", "writes", "fence_by", "", "a b", "a-b", "é"}) {
        CAPTURE(key);
        const auto set = set_owner_field(record, key, "x");
        REQUIRE(!set);
        CHECK(set.error().code == ErrorCode::usage);
    }
    CHECK(!set_owner_field(record, "pid", "many"));
    CHECK(!set_owner_field(record, "owner", "\xff"));
}

TEST_CASE("fields come as KEY=VALUE, and an error names the flag and the pair") {
    OwnerRecord record;
    REQUIRE(set_owner_fields(record, {"owner=deploy", "note=a=b", "run="}));
    CHECK(record.owner == "deploy");
    CHECK(record.extra.at("note") == "a=b");
    CHECK(record.run.empty());
    for (const auto& [pair, part] :
         {std::pair("plain", "'plain' is not of the form KEY=VALUE"),
          std::pair("=x", "'=x' is not of the form KEY=VALUE"), std::pair("fence=1", "'fence' is a field")}) {
        CAPTURE(pair);
        const auto set = set_owner_fields(record, {"owner=later", pair});
        REQUIRE(!set);
        CHECK(set.error().code == ErrorCode::usage);
        CHECK(set.error().message.starts_with("--owner: "));
        CHECK(set.error().message.find(part) != std::string::npos);
    }
}

}  // namespace azlock::ops
