// Where the outputs of tasks go.
#include "ops/queue/output.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {

TEST_CASE("outputs go below a prefix, which may be given with a slash at its end") {
    test::Rig rig;
    const auto place = [&](const std::string& blob) { return output_place(rig.us.client(), {"box", blob, {}}); };
    CHECK(place("results").value().prefix.blob == "results");
    CHECK(place("a/results//").value().prefix.blob == "a/results");
    for (const char* none : {"", "/", "//"}) {
        CHECK(place(none).error().code == ErrorCode::usage);
    }
}

}  // namespace azlock::ops
