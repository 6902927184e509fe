// What a lease's records tell about the way to end it.
#include "ops/lease/view.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("a lease can be released by anybody if another tool's record tells its id") {
    LeaseView view;
    CHECK(view.known_id().empty());
    view.foreign = ForeignRecord{};
    CHECK(view.known_id().empty());
    view.foreign->lease_id = "AAAAAAAA-1111-2222-3333-444444444444";
    CHECK(view.known_id() == "aaaaaaaa-1111-2222-3333-444444444444");
    view.foreign->lease_id = "not a lease id";
    CHECK(view.known_id().empty());
}

}  // namespace azlock::ops
