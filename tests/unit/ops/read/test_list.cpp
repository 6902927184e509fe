// Blobs and containers are listed page by page, and a visitor can end that.
#include "ops/read/list.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using Names = std::vector<std::string>;

// Pages of two entries.
struct Listing {
    Listing() : rig(options()) {
        for (const char* name : {"a/1", "a/2", "b", "c"}) rig.service.put("box", name, "x");
        rig.service.stage("box", "staged", "MDAwMA==", "x");
    }
    Status blobs(const std::string& below = {}, bool uncommitted = false) {
        return list_blobs(
            rig.us.client(), {"box", below, {}}, asked, uncommitted,
            [&](const std::string& prefix) {
                names.push_back("prefix " + prefix);
                return Status();
            },
            [&](const azure::ListedBlob& blob) {
                names.push_back(blob.name);
                return names.size() == stop_after ? Status(fail(ErrorCode::io, "full")) : Status();
            },
            {});
    }
    test::Rig rig;
    azure::ListOptions asked;
    Names names;
    std::size_t stop_after = 0;

  private:
    static test::FakeOptions options() {
        test::FakeOptions out;
        out.list_page_limit = 2;
        return out;
    }
};

}  // namespace

TEST_CASE("a listing of blobs follows the pages to the end") {
    Listing listing;
    SECTION("all") {
        REQUIRE(listing.blobs());
        CHECK(listing.names == Names{"a/1", "a/2", "b", "c"});
        CHECK(listing.rig.done("List Blobs") >= 2);
    }
    SECTION("below the address, or with the prefix") {
        REQUIRE(listing.blobs("a/"));
        CHECK(listing.names == Names{"a/1", "a/2"});
        listing.asked.prefix = "b";
        listing.names.clear();
        REQUIRE(listing.blobs());
        CHECK(listing.names == Names{"b"});
    }
    SECTION("folded") {
        listing.asked.delimiter = "/";
        REQUIRE(listing.blobs());
        CHECK(listing.names == Names{"prefix a/", "b", "c"});
    }
    SECTION("with blobs that have only staged blocks") {
        REQUIRE(listing.blobs({}, true));
        CHECK(listing.names.back() == "staged");
    }
}

TEST_CASE("a listing ends with the error of its visitor, and refuses two prefixes") {
    Listing listing;
    SECTION("the visitor") {
        listing.stop_after = 1;
        const auto listed = listing.blobs();
        REQUIRE(!listed);
        CHECK(listed.error().code == ErrorCode::io);
        CHECK(listing.names == Names{"a/1"});
        CHECK(listing.rig.service.requests() == 1);
    }
    SECTION("two prefixes: no request is sent") {
        listing.asked.prefix = "b";
        const auto listed = listing.blobs("a/");
        REQUIRE(!listed);
        CHECK(listed.error().code == ErrorCode::usage);
        CHECK(listing.rig.service.requests() == 0);
    }
}

TEST_CASE("containers have no staged blocks and no folders: no request is sent") {
    Listing listing;
    const auto visit = [](const azure::ListedContainer&) { return Status(); };
    azure::ListOptions folded;
    folded.delimiter = "/";
    CHECK(list_containers(listing.rig.us.client(), folded, false, visit, {}).error().code == ErrorCode::usage);
    CHECK(list_containers(listing.rig.us.client(), {}, true, visit, {}).error().code == ErrorCode::usage);
    CHECK(listing.rig.service.requests() == 0);
}

TEST_CASE("a listing of containers follows the pages, too") {
    Listing listing;
    listing.rig.service.make_container("next");
    listing.rig.service.make_container("other");
    Names names;
    const auto listed = list_containers(listing.rig.us.client(), {}, false,
                                        [&](const azure::ListedContainer& container) {
                                            names.push_back(container.name);
                                            return Status();
                                        },
                                        {});
    REQUIRE(listed);
    CHECK(names == Names{"box", "next", "other"});
}

}  // namespace azlock::ops
