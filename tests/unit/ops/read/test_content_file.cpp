// A temporary file of content: what its errors say.
#include "ops/read/content_file.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("an error of a temporary file says where it is, and quotes no name that it does not have") {
    const auto file = ContentFile::create_in_memory().value();
    REQUIRE(file->append(as_bytes(std::string("text"))));
    REQUIRE(file->seal());
    const Status written = file->append(as_bytes(std::string("more")));
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::io);
    CHECK(written.error().message == "a temporary file in memory: cannot write: operation not permitted");
}

}  // namespace azlock::ops
