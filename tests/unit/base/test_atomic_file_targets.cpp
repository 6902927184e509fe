// base/atomic_file, if the name is a link, a device or a pipe, or may not be written.
#include <array>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/base/atomic_file_rig.hpp"

using namespace azlock;
using namespace azlock::test;

TEST_CASE("a symbolic link stays and its target is replaced, also through several links and where it is missing") {
    const TempDir dir;
    const std::string target = dir.write("target", "old");
    REQUIRE(mkdir(dir.file("sub").c_str(), 0700) == 0);
    REQUIRE(symlink("../target", dir.file("sub/one").c_str()) == 0);
    REQUIRE(symlink("sub/one", dir.file("two").c_str()) == 0);
    REQUIRE(symlink(dir.file("sub/absent").c_str(), dir.file("dangling").c_str()) == 0);
    REQUIRE(replace_file(dir.file("two"), "new"));
    CHECK(read_text_file(target) == "new");
    REQUIRE(replace_file(dir.file("dangling"), "made"));
    CHECK(read_text_file(dir.file("sub/absent")) == "made");
    for (const char* name : {"sub/one", "two", "dangling"}) {
        struct stat info {};
        REQUIRE(lstat(dir.file(name).c_str(), &info) == 0);
        CHECK(S_ISLNK(info.st_mode));
    }
}

TEST_CASE("a circle of links, a directory, and a missing directory are I/O errors that name the path") {
    const TempDir dir;
    REQUIRE(symlink("circle", dir.file("circle").c_str()) == 0);
    for (const std::string& path :
         {dir.file("circle"), dir.path(), dir.path() + "/", dir.file("new/"), dir.file("no/such"), std::string()}) {
        INFO(path);
        const auto file = AtomicFile::create(path);
        REQUIRE_FALSE(file);
        CHECK(file.error().code == ErrorCode::io);
        CHECK(file.error().target == path);
    }
    CHECK(AtomicFile::create(dir.path()).error().message == "cannot write '" + dir.path() + "': is a directory");
    CHECK_FALSE(AtomicFile::create(dir.file(std::string("a\0b", 3))));
    CHECK(dir.names() == std::vector<std::string>{"circle"});
}

TEST_CASE("a name that became a directory meanwhile is not replaced and nothing is left behind") {
    const TempDir dir;
    AtomicFile file = make_atomic(dir.file("out"));
    REQUIRE(mkdir(dir.file("out").c_str(), 0700) == 0);
    const Status committed = file.commit();
    REQUIRE_FALSE(committed);
    CHECK(committed.error().code == ErrorCode::io);
    CHECK(dir.names() == std::vector<std::string>{"out"});
    CHECK_FALSE(file.commit());
    CHECK_FALSE(file.write_at(0, as_bytes("x")));
}

TEST_CASE("a file that we may not write is not replaced") {
    const TempDir dir;
    const std::string path = dir.write("out", "old");
    REQUIRE(chmod(path.c_str(), 0444) == 0);
    if (access(path.c_str(), W_OK) == 0) {
        WARN("SKIPPED: this user may write every file");
        return;
    }
    CHECK(AtomicFile::create(path).error().code == ErrorCode::io);
    CHECK(read_text_file(path) == "old");
}

TEST_CASE("a device is written in place") {
    AtomicFile file = make_atomic("/dev/null");
    CHECK(file.write_at(100, as_bytes("x")));
    CHECK(file.write_at(0, as_bytes("x")));
    CHECK(file.commit());
    struct stat info {};
    REQUIRE(stat("/dev/null", &info) == 0);
    CHECK(S_ISCHR(info.st_mode));
    CHECK(make_atomic("/dev/full").write_at(0, as_bytes("x")).error().message ==
          "cannot write '/dev/full': no space left on device");
}

TEST_CASE("a FIFO is written in place, in order only") {
    const TempDir dir;
    const std::string path = dir.file("fifo");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    std::string got;
    std::jthread reader([&] { got = read_text_file(path); });
    {
        AtomicFile file = make_atomic(path);
        CHECK_FALSE(file.random_access());
        CHECK(file.write_at(0, as_bytes("abc")));
        CHECK(file.write_at(3, as_bytes("def")));
        CHECK_FALSE(file.write_at(100, as_bytes("x")));
        CHECK(file.commit());
    }
    reader.join();
    CHECK(got == "abcdef");
    CHECK(dir.names() == std::vector<std::string>{"fifo"});
}

TEST_CASE("a link of /proc/self/fd is written where it leads, not replaced") {
    const TempDir dir;
    const Fd out(open(dir.write("out", "old content").c_str(), O_WRONLY | O_CLOEXEC));
    AtomicFile file = make_atomic("/proc/self/fd/" + std::to_string(out.get()));
    CHECK(file.write_at(0, as_bytes("new")));
    CHECK(file.commit());
    struct stat by_name {};
    struct stat by_fd {};
    REQUIRE(stat(dir.file("out").c_str(), &by_name) == 0);
    REQUIRE(fstat(out.get(), &by_fd) == 0);
    CHECK(by_name.st_ino == by_fd.st_ino);
    CHECK(read_text_file(dir.file("out")) == "new");
}
