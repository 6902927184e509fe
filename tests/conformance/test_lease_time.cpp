// What happens to a lease when its time is over. One wait of real seconds serves all cases of a group.
#include <algorithm>

#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

using std::chrono::milliseconds;

const std::string kA = "aaaaaaaa-1111-2222-3333-444444444444";
const std::string kB = "bbbbbbbb-1111-2222-3333-444444444444";
const std::string kMismatch = "409 LeaseIdMismatchWithLeaseOperation";

http::Response act(const std::string& path, const std::string& action, const std::string& id, bool container = false) {
    Fields headers = {{"x-ms-lease-action", action}};
    if (!id.empty()) headers.emplace_back("x-ms-lease-id", id);
    if (action == "change") headers.emplace_back("x-ms-proposed-lease-id", kB);
    return lease(path, headers, container);
}

}  // namespace

TEST_CASE("after a lease has expired", "[slow]") {
    const Box box;
    const Box leased_box;
    for (const char* name : {"state", "renew", "renew other", "release", "change", "break", "acquire A", "acquire B",
                             "acquire", "write", "write A", "write B", "written", "staged", "re-leased", "read"}) {
        std::string path = box / name;
        std::replace(path.begin(), path.end(), ' ', '-');
        REQUIRE(outcome(put_blob(path, "x")) == "201 ");
        REQUIRE(outcome(acquire(path, kA, "15")) == "201 ");
    }
    REQUIRE(outcome(acquire(leased_box.name(), kA, "15", true)) == "201 ");
    put_blob(leased_box / "a", "x");
    const std::string renewed = box / "kept";
    put_blob(renewed, "x");
    acquire(renewed, kA, "15");
    // The set-up may have taken any time; between these two only a few requests are sent.
    target().pass(milliseconds(8'000));
    CHECK(header(head(renewed), "x-ms-lease-state") == "leased");
    CHECK(outcome(act(renewed, "renew", kA)) == "200 ");  // valid for 15 s again from here on
    target().pass(milliseconds(8'000));

    CHECK(header(head(renewed), "x-ms-lease-state") == "leased");
    CHECK(header(head(box / "state"), "x-ms-lease-state") == "expired");
    CHECK(header(head(box / "state"), "x-ms-lease-status") == "unlocked");
    CHECK(!head(box / "state").headers.has("x-ms-lease-duration"));

    // Renewing or releasing proves that nobody wrote or leased in between.
    CHECK(outcome(act(box / "renew", "renew", kA)) == "200 ");
    CHECK(header(head(box / "renew"), "x-ms-lease-state") == "leased");
    CHECK(outcome(act(box / "renew-other", "renew", kB)) == rule(kMismatch, "200 ", "Azurite#2352"));
    CHECK(outcome(act(box / "release", "release", kA)) == "200 ");
    CHECK(header(head(box / "release"), "x-ms-lease-state") == "available");
    CHECK(act(box / "change", "change", kA).status == 409);
    const auto broken = act(box / "break", "break", "");
    CHECK(outcome(broken) == "202 ");
    CHECK(header(broken, "x-ms-lease-time") == "0");
    CHECK(header(head(box / "break"), "x-ms-lease-state") == "broken");
    CHECK(outcome(acquire(box / "acquire-A", kA)) == "201 ");
    CHECK(outcome(acquire(box / "acquire-B", kB)) == "201 ");
    CHECK(outcome(acquire(box / "acquire", "")) == "201 ");

    // A write without id is allowed and ends the lease; one with the old id is refused.
    CHECK(outcome(put_blob(box / "write", "y")) == "201 ");
    CHECK(header(head(box / "write"), "x-ms-lease-state") == "available");
    for (const auto& [name, id] : {std::pair{"write-A", kA}, std::pair{"write-B", kB}}) {
        const auto refused = outcome(put_blob(box / name, "y", {{"x-ms-lease-id", id}}));
        CHECK(one_of(refused, {"412 LeaseLost", "412 LeaseNotPresentWithBlobOperation"}));
        CHECK(get(box / name).body == "x");
    }
    put_blob(box / "written", "y");
    CHECK(outcome(act(box / "written", "renew", kA)) == kMismatch);
    stage(box / "staged", "MDAx", "y");
    CHECK(outcome(act(box / "staged", "renew", kA)) == kMismatch);
    acquire(box / "re-leased", kB, "15");
    CHECK(outcome(act(box / "re-leased", "renew", kA)) == kMismatch);
    CHECK(outcome(get(box / "read", {{"x-ms-lease-id", kA}})) == "412 LeaseNotPresentWithBlobOperation");

    // Writes to the blobs of a container do not change the container's lease.
    put_blob(leased_box / "a", "y");
    CHECK(outcome(act(leased_box.name(), "renew", kA, true)) == "200 ");
    act(leased_box.name(), "release", kA, true);
}

}  // namespace azlock::conformance
