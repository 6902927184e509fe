// The conditions and the lease id of a download.
#include "support/catch.hpp"
#include "unit/ops/read/download_rig.hpp"

namespace azlock::ops {
namespace {

using test::DownloadRig;
using test::kContent;
using test::kRange;
using test::why;

}  // namespace

TEST_CASE("conditions of the user go with the first request") {
    DownloadRig d;
    const std::string etag = '"' + d.rig.view().etag + '"';
    SECTION("not modified") {
        d.options.conditions.if_none_match = etag;
        const auto report = d.run();
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::not_modified);
    }
    SECTION("another version") {
        d.options.conditions.if_match = "\"0x1\"";
        const auto report = d.run();
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
    }
    SECTION("met") {
        d.options.conditions.if_match = etag;
        REQUIRE(d.run());
        CHECK(d.target.bytes == kContent);
        return;
    }
    SECTION("no longer met by the version that came meanwhile") {
        d.options.conditions.if_match = etag;
        d.rig.faulty.on("Get Blob").nth(2).meanwhile([&] { d.rig.service.put("box", "data", "other"); });
        const auto report = d.run();
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::precondition);
        return;
    }
    CHECK(d.target.bytes.empty());
    CHECK(d.rig.service.requests() == 1);
}

TEST_CASE("conditions hold for an empty blob, too") {
    DownloadRig d("");
    d.options.conditions.if_none_match = '"' + d.rig.view().etag + '"';
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_modified);
}

TEST_CASE("the lease id goes with every range") {
    DownloadRig d;
    const auto lease =
        d.rig.peer.client().acquire_lease(d.rig.blob, -1, "0f0e0d0c-0b0a-4908-8706-050403020100", {}, {});
    REQUIRE(lease);
    d.options.conditions.lease_id = lease->lease_id;
    REQUIRE(d.run());
    for (std::size_t n = 1; n <= 4; ++n) CHECK(d.rig.sent("Get Blob", n).get("x-ms-lease-id") == lease->lease_id);
}

}  // namespace azlock::ops
