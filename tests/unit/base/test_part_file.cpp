#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.hpp"
#include "base/part_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::test {
namespace {

const std::string kDead = ".azlock-00000000-1111-2222-3333-444444444444.part";

}  // namespace

TEST_CASE("a part file that nobody holds open is swept, and no other file") {
    const TempDir dir;
    dir.write(kDead, "half");
    dir.write("data", "x");
    dir.write(".azlock-short.part", "x");
    dir.write(kDead + "x", "x");
    REQUIRE(::symlink("data", dir.file(".azlock-00000000-1111-2222-3333-555555555555.part").c_str()) == 0);
    REQUIRE(::mkfifo(dir.file(".azlock-00000000-1111-2222-3333-666666666666.part").c_str(), 0600) == 0);
    REQUIRE(dir.names().size() == 6);
    sweep_part_files(dir.path() + "/");
    CHECK(dir.names().size() == 5);
    CHECK(::access(dir.file(kDead).c_str(), F_OK) != 0);
}

TEST_CASE("a part file that is being written is not swept, until it has its name or is dropped") {
    const TempDir dir;
    auto file = AtomicFile::create(dir.file("out"));
    REQUIRE(file);
    REQUIRE(file->write_at(0, as_bytes("content")));
    sweep_part_files(dir.path() + "/");
    REQUIRE(dir.names().size() == 1);
    REQUIRE(file->commit());
    sweep_part_files(dir.path() + "/");
    CHECK(dir.names() == std::vector<std::string>{"out"});
    CHECK(read_text_file(dir.file("out")) == "content");
}

TEST_CASE("a folder that cannot be read is left alone") {
    const TempDir dir;
    sweep_part_files(dir.file("none") + "/");
    CHECK(dir.names().empty());
}

}  // namespace azlock::test
