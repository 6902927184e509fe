#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;
using namespace std::chrono_literals;

namespace {

ops::AppenderOptions rotating(std::uint64_t max_size) {
    ops::AppenderOptions options;
    options.rotate = true;
    options.send.max_size = max_size;
    return options;
}

// Content of NAME, NAME.0001, ... one after the other.
std::vector<std::string> parts(AppendRig& rig) {
    std::vector<std::string> out;
    for (std::uint64_t number = 0;; ++number) {
        const auto content = rig.service.content("box", ops::part_of(rig.blob, number).blob);
        if (!content) return out;
        out.push_back(*content);
    }
}

bool is_sealed(AppendRig& rig, std::uint64_t number) {
    const auto seen = ops::look_at_append_blob(rig.peer.client(), ops::part_of(rig.blob, number), {}, {});
    AppendRig::must(seen);
    return seen->sealed;
}

}  // namespace

TEST_CASE("a full blob is sealed, and its continuation has the next number", "[append][rotate]") {
    AppendRig rig;
    const auto report = rig.append({"aaaa", "bbbb", "cccc", "dddd", "eeee"}, rotating(8));
    INFO(why(report));
    REQUIRE(report);
    CHECK(parts(rig) == std::vector<std::string>{"aaaabbbb", "ccccdddd", "eeee"});
    CHECK(is_sealed(rig, 0));
    CHECK(is_sealed(rig, 1));
    CHECK_FALSE(is_sealed(rig, 2));
    CHECK(report->rotations == 2);
    CHECK(report->blob.blob == "data.0002");
}

TEST_CASE("a writer that begins finds the last part", "[append][rotate]") {
    AppendRig rig;
    REQUIRE(rig.append({"aaaa", "bbbb", "cccc"}, rotating(8)));
    SECTION("which has room") {
        REQUIRE(rig.append({"dddd"}, rotating(8)));
        CHECK(parts(rig) == std::vector<std::string>{"aaaabbbb", "ccccdddd"});
    }
    SECTION("although the first ones were deleted") {
        rig.service.erase("box", "data");
        REQUIRE(rig.append({"dddd"}, rotating(8)));
        CHECK(rig.service.content("box", "data.0001") == "ccccdddd");
        CHECK_FALSE(rig.service.content("box", "data"));
    }
    SECTION("which is sealed") {
        AppendRig::must(rig.peer.client().seal(ops::part_of(rig.blob, 1), {}, {}, {}));
        REQUIRE(rig.append({"dddd"}, rotating(8)));
        CHECK(parts(rig) == std::vector<std::string>{"aaaabbbb", "cccc", "dddd"});
    }
}

TEST_CASE("what another writer has sealed is left behind for good", "[append][rotate]") {
    AppendRig rig;
    ListSource source(rig.clock, {"one ", "two "});
    source.pause_before(1, 2s);
    bool theirs_done = false;
    source.before_batch = [&](std::size_t number) {
        if (number != 1 || std::exchange(theirs_done, true)) return;
        ListSource theirs(rig.clock, {"them"});
        CHECK(rig.append_as(rig.other, theirs, rotating(4)));  // full for them: they seal it and go on in the next
    };
    const auto report = rig.append(source, rotating(8));
    INFO(why(report));
    REQUIRE(report);
    CHECK(parts(rig) == std::vector<std::string>{"one ", "themtwo "});
}

TEST_CASE("an append whose answer is lost is confirmed before the blob is sealed", "[append][rotate]") {
    AppendRig rig;
    SECTION("it was carried out") {
        rig.faulty.on("Append Block").nth(2).drop_reply();
    }
    SECTION("it was not") {
        rig.faulty.on("Append Block").nth(2).lose_request();
    }
    SECTION("the seal's answer is lost") {
        rig.faulty.on("Append Blob Seal").nth(1).drop_reply();
    }
    SECTION("the continuation's creation is lost") {
        rig.faulty.on("Put Blob").nth(2).drop_reply();
    }
    const auto report = rig.append({"aaaa", "bbbb", "cccc"}, rotating(8));
    INFO(why(report));
    REQUIRE(report);
    CHECK(parts(rig) == std::vector<std::string>{"aaaabbbb", "cccc"});
}

TEST_CASE("a blob that takes no more blocks is full", "[append][rotate]") {
    FakeOptions few;
    few.limits.committed_blocks = 2;
    AppendRig rig(few);
    SECTION("with --rotate it is continued") {
        ops::AppenderOptions options;
        options.rotate = true;
        const auto report = rig.append({"a", "b", "c"}, options);
        INFO(why(report));
        REQUIRE(report);
        CHECK(parts(rig) == std::vector<std::string>{"ab", "c"});
    }
    SECTION("without, that is an error which says what to do") {
        const auto report = rig.append({"a", "b", "c"});
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        CHECK(report.error().hint.find("--rotate") != std::string::npos);
        CHECK(rig.content() == "ab");
    }
}

TEST_CASE("a --max-size without --rotate is an error before a byte too many is written", "[append][rotate]") {
    AppendRig rig;
    ops::AppenderOptions options;
    options.send.max_size = 10;
    const auto report = rig.append({"aaaa", "bbbb", "cccc"}, options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "aaaabbbb");
    CHECK(rig.lease_state() == "available");
    CHECK(rig.sent("Append Block").get("x-ms-blob-condition-maxsize") == "10");
}

TEST_CASE("names of parts are read as they are written", "[append][rotate]") {
    const azure::BlobAddress first{"box", "logs/job.log", {}};
    CHECK(ops::part_of(first, 0).blob == "logs/job.log");
    CHECK(ops::part_of(first, 1).blob == "logs/job.log.0001");
    CHECK(ops::part_of(first, 12345).blob == "logs/job.log.12345");
    AppendRig rig;
    for (const char* name : {"data.0002", "data.00003", "data.0x04", "data.5", "data.0010.gz", "data.10000"}) {
        rig.service.put("box", name, "x");
    }
    CHECK(ops::last_part(rig.peer.client(), rig.blob, {}) == 10000U);
}
