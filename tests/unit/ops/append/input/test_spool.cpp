// A spool gives back what was put in, in order, but never what was confirmed. Damage is always reported.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "ops/append/input/spool.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

class Folder {
  public:
    [[nodiscard]] SpoolOptions options(std::uint64_t max = 1U << 30U) const {
        return {directory_.file("spool"), "https://account/logs/job.log", max};
    }
    Result<std::unique_ptr<Spool>> open(std::uint64_t max = 1U << 30U) {
        said.clear();
        return Spool::open(options(max), [this](const std::string& text) { said.push_back(text); });
    }
    // The path of its only file; empty if there is none.
    [[nodiscard]] std::string file() const {
        for (const auto& entry : std::filesystem::directory_iterator(directory_.file("spool"))) return entry.path();
        return {};
    }
    // Leaves the file as a crash does: without the bytes that are written when it is closed.
    void crash(std::unique_ptr<Spool>& spool) {
        const std::string copy = directory_.file("copy");
        const std::string path = file();
        std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
        spool.reset();
        std::filesystem::rename(copy, path);
    }
    void change(std::uint64_t offset, char value) const {
        std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(offset));
        stream.put(value);
    }

    std::vector<std::string> said;

  private:
    test::TempDir directory_;
};

std::string text_of(const Spool& spool, const Spool::Place& place) {
    const auto bytes = spool.read(place);
    REQUIRE(bytes);
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::vector<std::string> left_in(const Spool& spool) {
    std::vector<std::string> out;
    for (const auto& place : spool.left()) out.push_back(text_of(spool, place));
    return out;
}

const AppendMark kMark{"job.log.0001", 4711, "7c2c7f32-0000-0000-0000-000000000000"};

}  // namespace

TEST_CASE("what a spool held when azlock was killed comes back in order, without what was confirmed") {
    Folder folder;
    auto spool = *folder.open();
    for (const char* text : {"one", "two", "three"}) REQUIRE(spool->append(as_bytes(text), 1));
    REQUIRE(spool->sending(1, kMark));
    REQUIRE(spool->confirmed(1));
    CHECK(spool->bytes() == 8);
    folder.crash(spool);
    spool = *folder.open();
    CHECK(left_in(*spool) == std::vector<std::string>{"two", "three"});
    CHECK(spool->left_state().sending == 0);
    CHECK(spool->bytes() == 8);
    // The numbers go on.
    CHECK(spool->append(as_bytes("four"), 1)->number == 4);
    folder.crash(spool);
    CHECK(left_in(**folder.open()) == std::vector<std::string>{"two", "three", "four"});
    CHECK(folder.said.empty());
}

TEST_CASE("a spool knows after a crash what was being sent, and where to") {
    Folder folder;
    auto spool = *folder.open();
    for (const char* text : {"one", "two", "three"}) REQUIRE(spool->append(as_bytes(text), 1));
    REQUIRE(spool->sending(2, kMark));
    folder.crash(spool);
    spool = *folder.open();
    CHECK(spool->left_state().sending == 2);
    CHECK(spool->left_state().mark.blob == kMark.blob);
    CHECK(spool->left_state().mark.position == kMark.position);
    CHECK(spool->left_state().mark.lease_id == kMark.lease_id);
    REQUIRE(spool->confirmed(2));
    folder.crash(spool);
    CHECK(left_in(**folder.open()) == std::vector<std::string>{"three"});
}

TEST_CASE("a spool in which nothing is left is removed") {
    Folder folder;
    {
        auto spool = *folder.open();
        REQUIRE(spool->append(as_bytes("one"), 1));
        REQUIRE(spool->confirmed(1));
    }
    CHECK(folder.file().empty());
    {
        auto spool = *folder.open();
        REQUIRE(spool->append(as_bytes("one"), 1));
    }
    CHECK(!folder.file().empty());
}

TEST_CASE("a spool is one writer's at a time") {
    Folder folder;
    const auto first = folder.open();
    REQUIRE(first);
    const auto second = folder.open();
    REQUIRE(!second);
    CHECK(second.error().code == ErrorCode::busy);
    CHECK(second.error().hint.find("--spool-dir") != std::string::npos);
}

TEST_CASE("a spool that somebody else could have put there is refused") {
    const auto refused = [](Folder& folder, const std::string& why) {
        const auto opened = folder.open();
        REQUIRE(!opened);
        CHECK(opened.error().code == ErrorCode::io);
        CHECK(opened.error().message.find(why) != std::string::npos);
    };
    const test::TempDir elsewhere;
    Folder folder;
    auto spool = *folder.open();
    REQUIRE(spool->append(as_bytes("one"), 1));
    spool.reset();
    const std::string path = folder.file();
    SECTION("a hard link") {
        std::filesystem::create_hard_link(path, elsewhere.file("other"));
        refused(folder, "hard link");
    }
    SECTION("a symbolic link") {
        std::filesystem::rename(path, elsewhere.file("other"));
        std::filesystem::create_symlink(elsewhere.file("other"), path);
        refused(folder, "is a symbolic link");
    }
    SECTION("the file of another user") {
        if (::chown(path.c_str(), 65534, 65534) != 0) return;
        refused(folder, "belongs to another user");
    }
    SECTION("a folder that is a link") {
        const std::string link = folder.options().directory;
        std::filesystem::rename(link, elsewhere.file("spool"));
        std::filesystem::create_directory_symlink(elsewhere.file("spool"), link);
        CHECK(folder.open());
        if (::lchown(link.c_str(), 65534, 65534) != 0) return;
        refused(folder, "folder that is a symbolic link of another user");
    }
}

TEST_CASE("a batch that was not written whole is left out, which is told, and those before it are kept") {
    for (const std::uint64_t cut : {1, 10, 60, 99}) {
        CAPTURE(cut);
        Folder folder;
        auto spool = *folder.open();
        REQUIRE(spool->append(as_bytes("whole"), 1));
        REQUIRE(spool->append(as_bytes(std::string(100, 'x')), 1));
        folder.crash(spool);
        std::filesystem::resize_file(folder.file(), std::filesystem::file_size(folder.file()) - cut);
        spool = *folder.open();
        CHECK(left_in(*spool) == std::vector<std::string>{"whole"});
        REQUIRE(folder.said.size() == 1);
        CHECK(folder.said[0].find(std::to_string(148 - cut) + " B") != std::string::npos);
        REQUIRE(spool->append(as_bytes("more"), 1));
        folder.crash(spool);
        CHECK(left_in(**folder.open()) == std::vector<std::string>{"whole", "more"});
    }
}

TEST_CASE("damage before a spool's end is an error of data, and the file stays as it was") {
    const std::uint64_t second = kSpoolRecords + kSpoolRecordHead + 5;
    for (const std::uint64_t at :
         {std::uint64_t{3}, kSpoolRecords + 9, kSpoolRecords + kSpoolRecordHead + 2, second + 8}) {
        CAPTURE(at);
        Folder folder;
        auto spool = *folder.open();
        for (const char* text : {"first", "second", "third"}) REQUIRE(spool->append(as_bytes(text), 1));
        folder.crash(spool);
        folder.change(at, '\x55');
        const std::string before = test::read_text_file(folder.file());
        for (int i = 0; i < 2; ++i) {
            const auto again = folder.open();
            REQUIRE(!again);
            CHECK(again.error().code == ErrorCode::data);
            CHECK(again.error().hint.find("move it away") != std::string::npos);
        }
        CHECK(test::read_text_file(folder.file()) == before);
    }
}

TEST_CASE("a batch that may have been sent must be whole in the spool") {
    Folder folder;
    auto spool = *folder.open();
    REQUIRE(spool->append(as_bytes("first"), 1));
    REQUIRE(spool->sending(1, kMark));
    folder.crash(spool);
    std::filesystem::resize_file(folder.file(), std::filesystem::file_size(folder.file()) - 1);
    const auto again = folder.open();
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::data);
}

TEST_CASE("one damaged slot of the state leaves the other one") {
    for (const std::uint64_t slot : {1, 2}) {
        CAPTURE(slot);
        Folder folder;
        auto spool = *folder.open();
        REQUIRE(spool->append(as_bytes("first"), 1));
        folder.crash(spool);
        folder.change(slot * kSpoolBlock + 10, '\x55');
        spool = *folder.open();
        CHECK(left_in(*spool) == std::vector<std::string>{"first"});
    }
}

TEST_CASE("a spool never takes more than it may, and begins again when it is empty") {
    Folder folder;
    const std::string text(500'000, 'x');
    auto spool = *folder.open(2'000'000);
    std::uint64_t last = 0;
    for (int round = 0; round < 5; ++round) {
        int taken = 0;
        while (const auto place = spool->append(as_bytes(text), 1)) {
            last = place->number;
            ++taken;
        }
        CHECK(taken == 3);
        CHECK(spool->append(as_bytes(text), 1).error().code == ErrorCode::io);
        CHECK(std::filesystem::file_size(folder.file()) <= 2'000'000 + kSpoolRecords);
        REQUIRE(spool->confirmed(last));
        CHECK(std::filesystem::file_size(folder.file()) == kSpoolRecords);
    }
    REQUIRE(spool->append(as_bytes("left"), 1));
    folder.crash(spool);
    CHECK(left_in(**folder.open()) == std::vector<std::string>{"left"});
}

TEST_CASE("a spool that is never empty gives back the space of what was confirmed") {
    Folder folder;
    const std::string text(400'000, 'x');
    auto spool = *folder.open(4'000'000);
    std::uint64_t sent = 0;
    for (int i = 0; i < 5; ++i) REQUIRE(spool->append(as_bytes(text + std::to_string(i)), 1));
    for (int i = 5; i < 60; ++i) {
        REQUIRE(spool->append(as_bytes(text + std::to_string(i)), 1));
        REQUIRE(spool->sending(++sent, kMark));
        REQUIRE(spool->confirmed(sent));
    }
    folder.crash(spool);
    spool = *folder.open(4'000'000);
    REQUIRE(spool->left().size() == 5);
    CHECK(text_of(*spool, spool->left().front()) == text + "55");
    CHECK(text_of(*spool, spool->left().back()) == text + "59");
}

TEST_CASE("a spool where none can be made is an error that names the folder") {
    test::TempDir directory;
    const std::string file = directory.write("file", "");
    const auto spool = Spool::open({file + "/below", "x"}, [](const std::string&) {});
    REQUIRE(!spool);
    CHECK(spool.error().code == ErrorCode::io);
    CHECK(spool.error().message.find(file) != std::string::npos);
}

TEST_CASE("a spool for another destination is not taken") {
    Folder folder;
    auto spool = *folder.open();
    REQUIRE(spool->append(as_bytes("one"), 1));
    const std::string path = folder.file();
    spool.reset();
    SpoolOptions other = folder.options();
    other.destination = "https://account/logs/other.log";
    const auto mine = Spool::open(other, [](const std::string&) {});
    REQUIRE(mine);
    CHECK((*mine)->left().empty());
    CHECK((*mine)->path() != path);
}

}  // namespace azlock::ops
