// A look finds a blob or a container, and keeps the ETag of what was shown.
#include "ops/read/look.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

struct Look {
    Look() { rig.service.put("box", "data", "twelve bytes"); }
    Status at(const azure::BlobAddress& target, const std::string& etag_file = {}) {
        const auto take = [&](const Seen& properties) {
            seen = properties;
            return outcome;
        };
        return look(rig.us.client(), target, conditions, etag_file, take, {});
    }
    test::Rig rig;
    azure::Conditions conditions;
    Status outcome;
    std::optional<Seen> seen;
};

}  // namespace

TEST_CASE("a look at a blob or a container tells its properties") {
    Look look;
    REQUIRE(look.at(look.rig.blob));
    CHECK(std::get<azure::BlobProperties>(*look.seen).content_length == 12);
    REQUIRE(look.at({"box", {}, {}}));
    CHECK(std::get<azure::ContainerProperties>(*look.seen).lease.state == "available");
}

TEST_CASE("the ETag of a blob is saved after it was shown") {
    Look look;
    const std::string file = look.rig.dir.file("etag");
    SECTION("shown") {
        REQUIRE(look.at(look.rig.blob, file));
        CHECK(test::read_text_file(file) == '"' + look.rig.view().etag + "\"\n");
    }
    SECTION("not shown: the next look must show it") {
        look.outcome = fail(ErrorCode::io, "no reader");
        const auto looked = look.at(look.rig.blob, file);
        REQUIRE(!looked);
        CHECK(looked.error().code == ErrorCode::io);
        CHECK(look.rig.dir.names().empty());
    }
    SECTION("not modified") {
        look.conditions.if_none_match = '"' + look.rig.view().etag + '"';
        const auto looked = look.at(look.rig.blob, file);
        REQUIRE(!looked);
        CHECK(looked.error().code == ErrorCode::not_modified);
        CHECK(!look.seen);
        CHECK(look.rig.dir.names().empty());
    }
}

TEST_CASE("a container has no conditions and no ETag file, but it can have a lease") {
    Look look;
    const azure::BlobAddress box{"box", {}, {}};
    SECTION("a condition") {
        look.conditions.if_match = "\"0x0\"";
        CHECK(look.at(box).error().code == ErrorCode::usage);
    }
    SECTION("an ETag file") {
        CHECK(look.at(box, look.rig.dir.file("etag")).error().code == ErrorCode::usage);
    }
    SECTION("the id of another lease") {
        look.conditions.lease_id = "aaaaaaaa-1111-2222-3333-444444444444";
        CHECK(!look.at(box));
        CHECK(look.rig.service.requests() == 1);
    }
    CHECK(!look.seen);
}

}  // namespace azlock::ops
