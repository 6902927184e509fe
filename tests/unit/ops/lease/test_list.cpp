// Whose leases a listing shows.
#include "ops/lease/list.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_rig.hpp"

namespace azlock::ops {
namespace {

struct Listing : test::LeaseRig {
    Listing() {
        service.make_container("other");
        for (const auto& [container, name] :
             {std::pair("box", "a1"), std::pair("box", "b1"), std::pair("other", "a2")}) {
            service.put(container, name, "x");
            (void)peer.client().acquire_lease({container, name, {}}, 60, {}, {}, {});
        }
        service.put("box", "free", "x");
        (void)peer.client().acquire_lease({"other", {}, {}}, 60, {}, {}, {});
    }
    std::string names(LeasePlace place, const std::string& prefix = {}) {
        std::string out;
        azure::ListOptions options;
        options.prefix = prefix;
        const auto visit = [&](const std::string& name, const LeaseView&) -> Status {
            out += name + " ";
            return {};
        };
        const Status listed = list_leases(us.client(), place, {"box", {}, {}}, options, {}, visit, {});
        return listed ? out : test::why(listed);
    }
};

}  // namespace

TEST_CASE("a listing shows the leases of one container's blobs, of all blobs, or of the containers") {
    Listing l;
    CHECK(l.names(LeasePlace::container) == "a1 b1 ");
    CHECK(l.names(LeasePlace::container, "a") == "a1 ");
    CHECK(l.names(LeasePlace::account) == "box/a1 box/b1 other/a2 ");
    CHECK(l.names(LeasePlace::account, "a") == "box/a1 other/a2 ");
    CHECK(l.names(LeasePlace::containers) == "other ");
    CHECK(l.names(LeasePlace::containers, "b").empty());
}

TEST_CASE("the target says whose leases are meant, and --containers takes its place") {
    CHECK(lease_place("box", false) == LeasePlace::container);
    CHECK(lease_place("az://box/a", false) == LeasePlace::container);
    CHECK(lease_place("az://", false) == LeasePlace::account);
    CHECK(lease_place("", true) == LeasePlace::containers);
    CHECK(lease_place("", false).error().code == ErrorCode::usage);
    CHECK(lease_place("box", true).error().message == "--containers takes no TARGET");
}

}  // namespace azlock::ops
