// A scratch file can be written and read, and leaves nothing behind.
#include <fcntl.h>
#include <unistd.h>

#include "base/scratch_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock {

TEST_CASE("a scratch file has no name and is not handed to children") {
    const test::TempDir dir;
    const auto file = make_scratch_file(dir.path());
    REQUIRE(file);
    CHECK(dir.names().empty());
    CHECK((::fcntl(file->get(), F_GETFD) & FD_CLOEXEC) != 0);
    REQUIRE(write_full_at(file->get(), 0, as_bytes("text"), "scratch"));
    std::string text(10, '\0');
    CHECK(read_full_at(file->get(), 0, std::as_writable_bytes(std::span(text)), "scratch").value() == 4);
    CHECK(text.substr(0, 4) == "text");
}

TEST_CASE("where there is no folder for it the error names that") {
    const test::TempDir dir;
    const auto file = make_scratch_file(dir.file("none"));
    REQUIRE(!file);
    CHECK(file.error().code == ErrorCode::io);
    CHECK(file.error().target == dir.file("none"));
}

}  // namespace azlock
