#include "support/catch.hpp"
#include "unit/ops/append/append_rig.hpp"

using namespace azlock;
using namespace azlock::test;

namespace {

struct ResumeRig : AppendRig {
    // Appends what is missing of `content`, in batches of 4 bytes.
    Result<std::uint64_t> resume(const std::string& content, const std::string& name = "job.log",
                                 std::size_t stop_after = std::string::npos) {
        ops::Appender appender(writer.client(), blob, with_lease(ops::AppendLease::exclusive), {});
        if (auto opened = appender.open(); !opened) return fail(opened.error());
        const auto there = appender.resume(*http::make_body(content), name);
        if (!there) return there;
        ListSource source(clock, {});
        for (std::size_t at = *there; at < content.size() && stop_after-- > 0; at += 4) {
            source.add(content.substr(at, 4));
        }
        if (auto ran = appender.run(source); !ran) return fail(ran.error());
        return there;
    }
};

}  // namespace

TEST_CASE("a source that was appended in part goes on where it was, also where all its lines are equal",
          "[append][resume]") {
    ResumeRig rig;
    const bool has_more = GENERATE(false, true);
    if (has_more) {
        rig.peer_creates();
        rig.peer_appends("x\nx\nx\n");
    }
    std::string all;
    for (int i = 0; i < 10; ++i) all += "x\n";
    CHECK(rig.resume(all, "job.log", 2) == 0U);
    CHECK(rig.resume(all, "job.log", 1) == 8U);
    CHECK(rig.resume(all) == 12U);
    CHECK(rig.resume(all) == 20U);
    CHECK(rig.content() == (has_more ? "x\nx\nx\n" : "") + all);
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("where a source begins is noted before its first byte, and other metadata is kept", "[append][resume]") {
    ResumeRig rig;
    rig.peer_creates();
    AppendRig::must(rig.peer.client().set_metadata(rig.blob, {{"owner", "them"}}, {}, {}));
    REQUIRE(rig.resume("abcdefgh",
                       "j\xC3\xB6"
                       "b.log"));
    const auto metadata = rig.view().metadata;
    CHECK(metadata.at("owner") == "them");
    CHECK(metadata.at("azl_append_base") == "0");
    CHECK(metadata.at("azl_append_source") == "j%C3%B6b.log");
    CHECK(rig.done("Append Block") == 2);
}

TEST_CASE("what is not the beginning of the source is refused", "[append][resume]") {
    ResumeRig rig;
    REQUIRE(rig.resume("abcdefgh", "job.log", 1));
    SECTION("the source is another one") {
        const auto there = rig.resume("abcXefgh");
        REQUIRE(!there);
        CHECK(there.error().code == ErrorCode::data);
    }
    SECTION("the source is shorter") {
        const auto there = rig.resume("abc");
        REQUIRE(!there);
        CHECK(there.error().code == ErrorCode::data);
    }
    SECTION("somebody else has appended") {
        rig.peer_appends("theirs");
        const auto there = rig.resume("abcdefgh");
        REQUIRE(!there);
        CHECK(there.error().code == ErrorCode::data);
    }
    CHECK(rig.lease_state() == "available");
}

TEST_CASE("a source of another name begins at the blob's end", "[append][resume]") {
    ResumeRig rig;
    REQUIRE(rig.resume("abcd", "monday.log"));
    CHECK(rig.resume("abcd", "tuesday.log", 0) == 0U);
    CHECK(rig.resume("abcd", "tuesday.log") == 0U);
    CHECK(rig.content() == "abcdabcd");
}

TEST_CASE("a note whose answer was lost is written again", "[append][resume]") {
    ResumeRig rig;
    rig.faulty.on("Set Blob Metadata").nth(1).drop_reply();
    CHECK(rig.resume("abcdefgh") == 0U);
    CHECK(rig.content() == "abcdefgh");
}
