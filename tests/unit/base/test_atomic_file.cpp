// base/atomic_file: the final name has the whole content, or does not exist.
#include <array>
#include <thread>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/base/atomic_file_rig.hpp"

using namespace azlock;
using namespace azlock::test;

namespace {

mode_t mode_of(const std::string& path) {
    struct stat info {};
    REQUIRE(stat(path.c_str(), &info) == 0);
    return info.st_mode & 07777U;
}

// Restores the umask at the end of a test.
struct Umask {
    explicit Umask(mode_t mask) : old(umask(mask)) {}
    ~Umask() { umask(old); }
    mode_t old;
};

// A file system of 64 KiB that is unmounted at the end; `mounted` is false if we may not mount.
struct TinyDisk {
    TinyDisk() : mounted(mount("azlock", dir.path().c_str(), "tmpfs", 0, "size=65536") == 0) {}
    ~TinyDisk() {
        if (mounted) umount2(dir.path().c_str(), MNT_DETACH);
    }
    TempDir dir;
    bool mounted;
};

}  // namespace

TEST_CASE("the final name appears with commit, whole, and nothing else stays") {
    const TempDir dir;
    const std::string path = dir.file("out");
    AtomicFile file = make_atomic(path);
    CHECK(file.random_access());
    CHECK(file.write_at(6, as_bytes("world")));
    CHECK(file.write_at(0, as_bytes("hello ")));
    REQUIRE(dir.names().size() == 1);
    CHECK(dir.names().front().rfind(".azlock-", 0) == 0);
    CHECK(file.commit());
    CHECK(dir.names() == std::vector<std::string>{"out"});
    CHECK(read_text_file(path) == "hello world");
    file.discard();
    CHECK(read_text_file(path) == "hello world");
}

TEST_CASE("without commit the old content stays and the temporary file goes") {
    const TempDir dir;
    const std::string path = dir.write("out", "old");
    {
        AtomicFile file = make_atomic(path);
        CHECK(file.write_at(0, as_bytes("half of the n")));
        CHECK(read_text_file(path) == "old");
    }
    CHECK(read_text_file(path) == "old");
    CHECK(dir.names() == std::vector<std::string>{"out"});
    { const AtomicFile file = make_atomic(dir.file("new")); }
    CHECK(dir.names() == std::vector<std::string>{"out"});
}

TEST_CASE("moving an AtomicFile takes the temporary file along, and assigning removes the one before") {
    const TempDir dir;
    AtomicFile first = make_atomic(dir.file("a"));
    AtomicFile second(std::move(first));
    AtomicFile third = make_atomic(dir.file("b"));
    CHECK(dir.names().size() == 2);
    third = std::move(second);
    CHECK(dir.names().size() == 1);
    CHECK(third.write_at(0, as_bytes("x")));
    CHECK(third.commit());
    CHECK(dir.names() == std::vector<std::string>{"a"});
}

TEST_CASE("two writers of one name do not meet: the last commit wins, whole") {
    const TempDir dir;
    AtomicFile one = make_atomic(dir.file("out"));
    AtomicFile two = make_atomic(dir.file("out"));
    CHECK(one.write_at(0, as_bytes("one one one")));
    CHECK(two.write_at(0, as_bytes("two")));
    CHECK(one.commit());
    CHECK(two.commit());
    CHECK(read_text_file(dir.file("out")) == "two");
}

TEST_CASE("threads may write different places at once") {
    const TempDir dir;
    AtomicFile file = make_atomic(dir.file("out"));
    std::array<Status, 4> results;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < results.size(); ++i) {
            threads.emplace_back([&, i] {
                results[i] = file.write_at(i * 1'000, as_bytes(std::string(1'000, static_cast<char>('a' + i))));
            });
        }
    }
    for (const Status& result : results) CHECK(result);
    CHECK(file.commit());
    CHECK(read_text_file(dir.file("out")) ==
          std::string(1'000, 'a') + std::string(1'000, 'b') + std::string(1'000, 'c') + std::string(1'000, 'd'));
}

TEST_CASE("a new file gets the mode of the umask") {
    const TempDir dir;
    const Umask mask(027);
    REQUIRE(replace_file(dir.file("out"), "x"));
    CHECK(mode_of(dir.file("out")) == 0640);
}

TEST_CASE("a replaced file keeps its mode, but never set-user-id") {
    const TempDir dir;
    const Umask mask(022);
    const std::string path = dir.write("out", "old");
    for (const mode_t mode : {0600U, 0664U, 0755U}) {
        REQUIRE(chmod(path.c_str(), mode) == 0);
        REQUIRE(replace_file(path, "new"));
        CHECK(mode_of(path) == mode);
    }
    REQUIRE(chmod(path.c_str(), 04755) == 0);
    REQUIRE(replace_file(path, "new"));
    CHECK(mode_of(path) == 0755);
}

TEST_CASE("the temporary file of a private file is private") {
    const TempDir dir;
    const Umask mask(0);
    const std::string path = dir.write("out", "old");
    REQUIRE(chmod(path.c_str(), 0600) == 0);
    const AtomicFile file = make_atomic(path);
    for (const std::string& name : dir.names()) CHECK(mode_of(dir.file(name)) == 0600);
}

TEST_CASE("a replaced file keeps its owner where that is permitted") {
    if (geteuid() != 0) {
        WARN("SKIPPED: only root can give files away");
        return;
    }
    const TempDir dir;
    const std::string path = dir.write("out", "old");
    REQUIRE(chown(path.c_str(), 12'345, 23'456) == 0);
    REQUIRE(replace_file(path, "new"));
    struct stat info {};
    REQUIRE(stat(path.c_str(), &info) == 0);
    CHECK(info.st_uid == 12'345);
    CHECK(info.st_gid == 23'456);
}

TEST_CASE("resize cuts and extends") {
    const TempDir dir;
    AtomicFile file = make_atomic(dir.file("out"));
    CHECK(file.write_at(0, as_bytes("0123456789")));
    CHECK(file.resize(4));
    CHECK(file.resize(6));
    CHECK(file.commit());
    CHECK(read_text_file(dir.file("out")) == std::string("0123\0\0", 6));
    CHECK_FALSE(make_atomic(dir.file("x")).resize(~std::uint64_t{0}));
}

TEST_CASE("a full disk is reported, keeps the old file and leaves no half one") {
    const TinyDisk disk;
    if (!disk.mounted) {
        WARN("SKIPPED: cannot mount a small file system here");
        return;
    }
    const std::string path = disk.dir.write("out", "old");
    {
        AtomicFile file = make_atomic(path);
        const Status written = file.write_at(0, as_bytes(std::string(200'000, 'x')));
        REQUIRE_FALSE(written);
        CHECK(written.error().code == ErrorCode::io);
        CHECK(written.error().message == "cannot write '" + path + "': no space left on device");
    }
    CHECK(disk.dir.names() == std::vector<std::string>{"out"});
    CHECK(read_text_file(path) == "old");
}

TEST_CASE("a file for which there is no room is refused before anything is written") {
    const TinyDisk disk;
    if (!disk.mounted) return;
    AtomicFile file = make_atomic(disk.dir.file("out"));
    CHECK(file.reserve(32 * 1024));
    const auto refused = file.reserve(128 * 1024);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::io);
    CHECK(refused.error().message.find("no space left on device") != std::string::npos);
}

TEST_CASE("what is reserved does not change the size of the file") {
    const TempDir dir;
    AtomicFile file = make_atomic(dir.file("out"));
    REQUIRE(file.reserve(100'000));
    REQUIRE(file.write_at(0, as_bytes("short")));
    REQUIRE(file.commit());
    CHECK(read_text_file(dir.file("out")) == "short");
}
