// An update by compare and swap: replaces only the version that was read, and keeps all that is not content.
#include "ops/cas/update.hpp"
#include "support/catch.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {
namespace {

using Names = std::vector<std::string>;
using Outcome = ops::CasReport::Outcome;

}  // namespace

TEST_CASE("an update is a read, a look at the tier, which a read does not tell, and one write over that version") {
    CasRig rig;
    rig.service.put("box", "data", "41\n");
    const std::string etag = rig.view().etag;
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "42\n");
    CHECK(done->value == 42);
    CHECK(done->tries == 1);
    CHECK(done->etag == '"' + rig.view().etag + '"');
    CHECK(rig.service.operations() == Names{"Get Blob", "Get Blob Properties", "Put Blob"});
    CHECK(rig.sent("Put Blob").get("If-Match") == '"' + etag + '"');
}

TEST_CASE("where somebody else was faster it is made again, out of what they wrote") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 2).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "3");
    CHECK(done->tries == 3);
    CHECK(done->turns == 0);
    CHECK(rig.clock.waits().size() == 2);
}

TEST_CASE("headers, metadata, tags and a tier that was set survive; the content's old MD5 does not") {
    CasRig rig;
    azure::PutBlobOptions put;
    put.content = {"text/x-odd", "gzip", "de", "inline", "no-cache", {}};
    put.metadata = {{"Job", "17"}, {"azl_fence", "5"}};
    put.tags = "team=red%20ones&n=1";
    put.access_tier = "Cool";
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body("1"), put, {}));
    const auto before = rig.us.client().get_properties(rig.blob, {}, {}).value().properties;
    REQUIRE(rig.add_one());
    const auto after = rig.us.client().get_properties(rig.blob, {}, {}).value().properties;
    CHECK(after.content.type == before.content.type);
    CHECK(after.content.encoding == before.content.encoding);
    CHECK(after.content.language == before.content.language);
    CHECK(after.content.disposition == before.content.disposition);
    CHECK(after.content.cache_control == before.content.cache_control);
    CHECK(after.content.md5 != before.content.md5);
    CHECK(after.access_tier == "Cool");
    CHECK(!after.access_tier_inferred);
    CHECK(rig.us.client().get_tags(rig.blob, {}, {}).value() == "team=red%20ones&n=1");
    auto metadata = after.metadata;
    CHECK(metadata.erase("azl_writes") == 1);
    CHECK(metadata == azure::Metadata{{"Job", "17"}, {"azl_fence", "5"}});
}

TEST_CASE("a tier that the account's default gave is not made an explicit one") {
    CasRig rig;
    rig.service.put("box", "data", "1");
    REQUIRE(rig.add_one());
    CHECK(!rig.sent("Put Blob").has("x-ms-access-tier"));
}

TEST_CASE("a version that goes away between the reads is a lost round, and they have an end") {
    CasRig rig;
    rig.service.put("box", "data", "0");
    SECTION("once") {
        rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { rig.peer_adds_one(); });
        const auto done = rig.add_one();
        INFO(why(done));
        REQUIRE(done);
        CHECK(rig.content() == "2");
        CHECK(done->tries == 1);
    }
    SECTION("each time") {
        rig.faulty.on("Get Blob Properties").from(1).meanwhile([&] { rig.peer_adds_one(); });
        ops::CasOptions options;
        options.take_turns = false;
        options.max_tries = 5;
        const auto done = rig.add_one(options);
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::precondition);
        CHECK(rig.content() == "5");
    }
    SECTION("with the blob") {
        rig.faulty.on("Get Blob Properties").nth(1).meanwhile([&] { rig.service.erase("box", "data"); });
        const auto done = rig.add_one();
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::not_found);
    }
}

TEST_CASE("flags change what would have been kept") {
    CasRig rig;
    rig.service.put("box", "data", "1");
    ops::CasOptions options;
    options.changes = {{"text/new", {}, {}, {}, {}, {}}, {{"who", "me"}}, "k=v", "Cold"};
    REQUIRE(rig.update(ops::replace_by("1"), options));
    const auto after = rig.us.client().get_properties(rig.blob, {}, {}).value().properties;
    CHECK(after.content.type == "text/new");
    CHECK(after.metadata.at("who") == "me");
    CHECK(after.access_tier == "Cold");
    CHECK(rig.sent("Put Blob").get("x-ms-tags") == "k=v");
}

TEST_CASE("tags that may not be read are told of once, and the update goes on") {
    CasRig rig;
    azure::PutBlobOptions put;
    put.tags = "k=v";
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body("1"), put, {}));
    rig.faulty.on("Get Blob Tags").nth(1, 2).return_status(403, "AuthorizationPermissionMismatch");
    // Somebody else writes in between, with the same tags.
    rig.faulty.on("Put Blob").nth(1).meanwhile([&] {
        REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body("5"), put, {}));
    });
    const auto done = rig.add_one();
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "6");
    REQUIRE(rig.said.size() == 1);
    CHECK(rig.said[0].find("tags") != std::string::npos);
}

TEST_CASE("what stays the same is not written, unless it is to be touched") {
    CasRig rig;
    rig.service.put("box", "data", "same");
    const std::string etag = '"' + rig.view().etag + '"';
    const auto same = rig.update(ops::replace_by("same"));
    REQUIRE(same);
    CHECK(same->outcome == Outcome::unchanged);
    CHECK(same->etag == etag);
    CHECK(rig.done("Put Blob") == 0);
    ops::CasOptions options;
    options.touch = true;
    const auto touched = rig.update(ops::replace_by("same"), options);
    REQUIRE(touched);
    CHECK(touched->outcome == Outcome::written);
    CHECK(touched->etag != etag);
}

TEST_CASE("a transform can leave the blob as it is, and can fail; then nothing is written") {
    CasRig rig;
    rig.service.put("box", "data", "old");
    const auto skipped = rig.update([](const ops::CasInput&, const azure::Call&) -> Result<ops::CasOutput> {
        return ops::CasOutput{true, "never"};
    });
    REQUIRE(skipped);
    CHECK(skipped->outcome == Outcome::skipped);
    const auto failed = rig.add_one();
    REQUIRE(!failed);
    CHECK(failed.error().code == ErrorCode::data);
    CHECK(failed.error().target == "box/data");
    CHECK(rig.done("Put Blob") == 0);
    CHECK(rig.content() == "old");
}

TEST_CASE("a missing blob is an error, or is made out of what it is to start from") {
    CasRig rig;
    const auto missing = rig.add_one();
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::not_found);
    CHECK(missing.error().hint.find("--create") != std::string::npos);
    ops::CasOptions options;
    options.create = true;
    options.initial = "10\n";
    options.content_type = "text/plain";
    const auto made = rig.add_one(options);
    INFO(why(made));
    REQUIRE(made);
    CHECK(made->created);
    CHECK(rig.content() == "11\n");
    CHECK(rig.view().properties.content_type == "text/plain");
    CHECK(rig.sent("Put Block List").get("If-None-Match") == "*");
    const auto again = rig.add_one(options);
    REQUIRE(again);
    CHECK(!again->created);
}

TEST_CASE("a blob is created also where another tool has left staged blocks") {
    CasRig rig;
    rig.service.stage("box", "data", "MDEyMzQ1Njc4OWFiY2RlZg==", "left");
    ops::CasOptions options;
    options.create = true;
    const auto made = rig.add_one(options);
    INFO(why(made));
    REQUIRE(made);
    CHECK(rig.content() == "1");
}

TEST_CASE("staged blocks of another tool that hinder the creation are told, with a way out that this command has") {
    CasRig rig;
    rig.service.stage("box", "data", "QUFB", "left");
    ops::CasOptions options;
    options.create = true;
    const auto made = rig.add_one(options);
    REQUIRE(!made);
    CHECK(made.error().message.find("staged blocks of another tool") != std::string::npos);
    CHECK(made.error().hint.find("azlock delete box/data --staged") != std::string::npos);
    CHECK(made.error().hint.find("--discard-staged") == std::string::npos);
}

TEST_CASE("any version may be named: then the blob must exist, and a lost round is repeated") {
    CasRig rig;
    ops::CasOptions options;
    options.if_match = "*";
    options.create = true;
    const auto missing = rig.add_one(options);
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::precondition);
    rig.service.put("box", "data", "0");
    rig.faulty.on("Put Blob").nth(1, 4).meanwhile([&] { rig.peer_adds_one(); });
    const auto done = rig.add_one(options);
    INFO(why(done));
    REQUIRE(done);
    CHECK(rig.content() == "4");
    CHECK(done->turns == 1);
}

TEST_CASE("a blob with much metadata stays updatable, with as many write ids as have room") {
    for (const std::size_t bytes : {7'500, 8'150}) {
        CAPTURE(bytes);
        CasRig rig;
        azure::PutBlobOptions put;
        put.metadata = {{"much", std::string(bytes, 'x')}};
        REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body("0"), put, {}));
        for (int i = 0; i < 130; ++i) {
            const auto done = rig.add_one();
            INFO(why(done));
            REQUIRE(done);
        }
        CHECK(rig.content() == "130");
        CHECK(rig.view().metadata.at("much").size() == bytes);
        REQUIRE(!rig.said.empty());
        CHECK(rig.said.back().find("write ids") != std::string::npos);
        // Once in each update, and a lost answer is still resolved.
        const std::size_t before = rig.said.size();
        rig.faulty.on("Put Blob").nth(1).meanwhile([&] { rig.peer_adds_one(); });
        rig.faulty.on("Put Blob").nth(2).drop_reply();
        const auto done = rig.add_one();
        INFO(why(done));
        REQUIRE(done);
        CHECK(done->recognised);
        CHECK(rig.content() == "132");
        CHECK(rig.said.size() == before + 1);
    }
}

TEST_CASE("of two who make a blob one makes it and the other updates it") {
    CasRig rig;
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] { rig.peer_adds_one(true); });
    ops::CasOptions options;
    options.create = true;
    const auto done = rig.add_one(options);
    INFO(why(done));
    REQUIRE(done);
    CHECK(!done->created);
    CHECK(rig.content() == "2");
}

TEST_CASE("a version that the caller names is the only one that is updated") {
    CasRig rig;
    rig.service.put("box", "data", "1");
    ops::CasOptions options;
    options.if_match = "\"0x123\"";
    const auto other = rig.add_one(options);
    REQUIRE(!other);
    CHECK(other.error().code == ErrorCode::precondition);
    options.if_match = '"' + rig.view().etag + '"';
    rig.faulty.on("Put Blob").meanwhile([&] { rig.peer_adds_one(); });
    const auto too_late = rig.add_one(options);
    REQUIRE(!too_late);
    CHECK(too_late.error().code == ErrorCode::precondition);
    CHECK(rig.content() == "2");
    options.if_match = '"' + rig.view().etag + '"';
    REQUIRE(rig.add_one(options));
    CHECK(rig.content() == "3");
}

}  // namespace azlock::test
