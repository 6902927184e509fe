// ops/login/token_folder: tokens in files that only this user can read.
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "ops/login/token_folder.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;

namespace {

const WallTime kAsked(1'700'000'000s);

struct FolderRig {
    FolderRig() { ::chmod(dir.path().c_str(), 0700); }
    [[nodiscard]] std::string path(const std::string& name) const { return dir.path() + "/azlock/" + name; }
    // Why the folder is refused.
    [[nodiscard]] std::string refusal() const {
        const auto folder = TokenFolder::open(dir.path());
        if (folder) return "";
        CHECK(folder.error().code == ErrorCode::config);
        return folder.error().message;
    }
    test::TempDir dir;
};

KeptToken sample() {
    return {Secret("ey.MARKER.x"), kAsked, kAsked + 1h, kAsked + 30min};
}

unsigned mode_of(const std::string& path) {
    struct stat info {};
    REQUIRE(::lstat(path.c_str(), &info) == 0);
    return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("a token is kept in a file of this user alone, and comes back as it was") {
    const mode_t before = ::umask(0);
    FolderRig rig;
    const auto folder = TokenFolder::open(rig.dir.path()).value();
    CHECK_FALSE(folder.read("t").value());
    REQUIRE(folder.write("t", sample()));
    ::umask(before);
    CHECK(mode_of(rig.path("")) == 0700);
    CHECK(mode_of(rig.path("t")) == 0600);
    const auto kept = TokenFolder::open(rig.dir.path())->read("t").value();
    REQUIRE(kept);
    CHECK(kept->bearer.reveal() == "ey.MARKER.x");
    CHECK(kept->asked == kAsked);
    CHECK(kept->ends == kAsked + 1h);
    CHECK(kept->refresh == kAsked + 30min);
    CHECK_FALSE(folder.read("other").value());
    REQUIRE(folder.write("t", {Secret("ey2"), kAsked, kAsked + 2h, {}}));
    CHECK(folder.read("t").value()->bearer.reveal() == "ey2");
    CHECK_FALSE(folder.read("t").value()->refresh);
}

TEST_CASE("the cache refuses a folder that is a link, somebody else's, open to others, or none") {
    FolderRig rig;
    SECTION("open to others") {
        ::chmod(rig.dir.path().c_str(), 0710);
        CHECK(rig.refusal().ends_with("is open to other users"));
    }
    SECTION("its own folder is open to others") {
        ::mkdir(rig.path("").c_str(), 0755);
        ::chmod(rig.path("").c_str(), 0755);
        CHECK(rig.refusal().ends_with("/azlock' is open to other users"));
    }
    SECTION("somebody else's") {
        if (::chown(rig.dir.path().c_str(), 65534, static_cast<gid_t>(-1)) != 0) {
            WARN("SKIPPED: only root can give folders away");
            return;
        }
        CHECK(rig.refusal().ends_with("belongs to another user"));
    }
    SECTION("a link") {
        ::mkdir(rig.dir.file("real").c_str(), 0700);
        REQUIRE(::symlink("real", rig.dir.file("azlock").c_str()) == 0);
        CHECK(rig.refusal().ends_with("/azlock' is a symbolic link"));
        REQUIRE(::symlink("real", rig.dir.file("link").c_str()) == 0);
        CHECK(TokenFolder::open(rig.dir.file("link")).error().message.ends_with("is a symbolic link"));
    }
    SECTION("none") {
        CHECK(TokenFolder::open("").error().message.ends_with("XDG_RUNTIME_DIR is not set"));
        CHECK(TokenFolder::open("run").error().message.ends_with("not an absolute path"));
        CHECK(TokenFolder::open(rig.dir.file("missing")).error().code == ErrorCode::config);
        CHECK(TokenFolder::open(rig.dir.write("file", "")).error().code == ErrorCode::config);
    }
}

TEST_CASE("a file that somebody else could have written, or that is none of ours, is no token") {
    FolderRig rig;
    const auto folder = TokenFolder::open(rig.dir.path()).value();
    REQUIRE(folder.write("t", sample()));
    const auto why = [&] {
        const auto read = folder.read("t");
        REQUIRE_FALSE(read);
        CHECK(read.error().message.find("MARKER") == std::string::npos);
        return read.error().code;
    };
    SECTION("open to others") {
        ::chmod(rig.path("t").c_str(), 0640);
        CHECK(why() == ErrorCode::data);
    }
    SECTION("a link, a FIFO, a folder") {
        REQUIRE(::rename(rig.path("t").c_str(), rig.path("real").c_str()) == 0);
        REQUIRE(::symlink("real", rig.path("t").c_str()) == 0);
        CHECK(why() == ErrorCode::data);
        ::unlink(rig.path("t").c_str());
        REQUIRE(::mkfifo(rig.path("t").c_str(), 0600) == 0);
        CHECK(why() == ErrorCode::data);
        ::unlink(rig.path("t").c_str());
        REQUIRE(::mkdir(rig.path("t").c_str(), 0700) == 0);
        CHECK(why() == ErrorCode::data);
    }
    SECTION("other content") {
        const std::string good = test::read_text_file(rig.path("t"));
        const std::string times = "1700000000000\n1700003600000\n\n";
        for (const std::string& text :
             {std::string(), good.substr(0, good.size() - 1), good + "x\n", good + std::string(1, '\0'), "x" + good,
              "azlock token 2\n" + times + "MARKER\n", "azlock token 1\n" + times + "\n",
              "azlock token 1\n" + times + "MARKER\r\n", "azlock token 1\n" + times + "MAR KER\n",
              std::string("azlock token 1\n-1\n2\n\nMARKER\n"), std::string("azlock token 1\n1\n\n\nMARKER\n"),
              std::string("azlock token 1\n1\n99999999999999999999\n\nMARKER\n"),
              std::string("azlock token 1\n1\n2\nx\nMARKER\n"), std::string(3 << 20, '\n')}) {
            std::ofstream(rig.path("t"), std::ios::binary | std::ios::trunc) << text;
            CAPTURE(text.substr(0, 200));
            CHECK(why() == ErrorCode::data);
        }
    }
}

TEST_CASE("a token replaces a link or a file of another mode, and does not write through it") {
    FolderRig rig;
    const auto folder = TokenFolder::open(rig.dir.path()).value();
    const std::string victim = rig.dir.write("victim", "mine");
    REQUIRE(::symlink(victim.c_str(), rig.path("t").c_str()) == 0);
    REQUIRE(folder.write("t", sample()));
    CHECK(test::read_text_file(victim) == "mine");
    CHECK(folder.read("t").value());
    ::chmod(rig.path("t").c_str(), 0644);
    REQUIRE(folder.write("t", sample()));
    CHECK(mode_of(rig.path("t")) == 0600);
    std::ofstream(rig.path(".azlock-11111111-2222-3333-4444-555555555555.part")) << "left behind";
    REQUIRE(folder.write("t", sample()));
    CHECK(::access(rig.path(".azlock-11111111-2222-3333-4444-555555555555.part").c_str(), F_OK) != 0);
}

TEST_CASE("one process at a time holds the lock of a token") {
    FolderRig rig;
    const auto folder = TokenFolder::open(rig.dir.path()).value();
    const auto other = TokenFolder::open(rig.dir.path()).value();
    {
        const auto held = folder.try_lock("t");
        REQUIRE(held);
        CHECK(*held);
        CHECK_FALSE(other.try_lock("t"));
        CHECK(other.try_lock("another"));
    }
    CHECK(other.try_lock("t"));
    ::mkdir(rig.path("folder.lock").c_str(), 0700);
    REQUIRE(folder.try_lock("folder"));  // it cannot be locked: nobody is waited for
    CHECK_FALSE(*folder.try_lock("folder"));
}
