// A followed file is read through everything that logrotate and people do to it; no byte is missing or doubled.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "ops/append/input/follow_input.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

using Got = ByteInput::Got;

class Rig {
  public:
    explicit Rig(FollowInput::From from = FollowInput::From::start) : from_(from) {}

    void append(std::string_view name, std::string_view text) const {
        std::ofstream(directory.file(name), std::ios::app | std::ios::binary) << text;
    }
    void rename(std::string_view from, std::string_view to) const {
        std::filesystem::rename(directory.file(from), directory.file(to));
    }
    // All that can be read now. '|' means that one file ends and the next begins, '.' means the end of input.
    std::string now() {
        if (!input) {
            input.emplace(directory.file("log"), from_, clock, stop.get_token(), [this](const std::string& text) {
                const std::lock_guard lock(mutex);
                said.push_back(text);
            });
        }
        std::string out;
        std::array<std::byte, 7> some{};
        for (;;) {
            const auto read = input->read(some, clock.now());
            REQUIRE(read);
            if (read->got == Got::nothing) return out;
            if (read->got == Got::end) return out + '.';
            if (read->got == Got::boundary) {
                out += '|';
            } else {
                out.append(reinterpret_cast<const char*>(some.data()), read->size);
            }
        }
    }
    std::string a_second_later() {
        clock.advance(std::chrono::seconds(1));
        return now();
    }

    test::TempDir directory;
    test::FakeClock clock;
    std::stop_source stop;
    std::mutex mutex;
    std::vector<std::string> said;
    std::optional<FollowInput> input;

  private:
    FollowInput::From from_;
};

}  // namespace

TEST_CASE("what is added to a followed file comes as it is added") {
    Rig rig;
    rig.append("log", "first\n");
    CHECK(rig.now() == "first\n");
    CHECK(rig.now() == "");
    rig.append("log", "second line\n");
    CHECK(rig.now() == "second line\n");
}

TEST_CASE("a followed file can be begun at its end, but one that comes later is read from its beginning") {
    Rig rig(FollowInput::From::end);
    rig.append("log", "old\n");
    CHECK(rig.now() == "");
    rig.append("log", "new\n");
    CHECK(rig.now() == "new\n");
    rig.rename("log", "log.1");
    rig.append("log", "rotated\n");
    CHECK(rig.now() == "");
    CHECK(rig.a_second_later() == "|rotated\n");
    Rig late(FollowInput::From::end);
    CHECK(late.now() == "");
    late.append("log", "first\n");
    CHECK(late.now() == "first\n");
}

TEST_CASE("a missing file is waited for, which is told once") {
    Rig rig;
    CHECK(rig.now() == "");
    CHECK(rig.now() == "");
    REQUIRE(rig.said.size() == 1);
    CHECK(rig.said[0].find("waiting for it") != std::string::npos);
    rig.append("log", "here\n");
    CHECK(rig.now() == "here\n");
}

TEST_CASE("over rotation the old file is read until it is quiet, also what is written after the renaming") {
    Rig rig;
    rig.append("log", "one\n");
    CHECK(rig.now() == "one\n");
    rig.append("log", "two\n");
    rig.rename("log", "log.1");
    rig.append("log", "new\n");
    CHECK(rig.now() == "two\n");
    rig.clock.advance(std::chrono::milliseconds(900));
    rig.append("log.1", "three\n");
    CHECK(rig.now() == "three\n");
    rig.clock.advance(std::chrono::milliseconds(900));
    CHECK(rig.now() == "");
    CHECK(rig.a_second_later() == "|new\n");
}

TEST_CASE("files that are rotated in quick succession are all read, in order") {
    Rig rig;
    rig.append("log", "1");
    CHECK(rig.now() == "1");
    for (const char* text : {"2", "3", "4"}) {
        rig.rename("log", std::string("log.") + text);
        rig.append("log", text);
        CHECK(rig.now() == "");
    }
    CHECK(rig.a_second_later() == "|2");
    CHECK(rig.a_second_later() == "|3");
    CHECK(rig.a_second_later() == "|4");
}

TEST_CASE("a followed file that is removed is read to its end, then the next of its name") {
    Rig rig;
    rig.append("log", "one\n");
    CHECK(rig.now() == "one\n");
    rig.append("log", "two\n");
    std::filesystem::remove(rig.directory.file("log"));
    CHECK(rig.now() == "two\n");
    CHECK(rig.a_second_later() == "");
    rig.append("log", "three\n");
    CHECK(rig.now() == "");
    CHECK(rig.a_second_later() == "|three\n");
}

TEST_CASE("a followed file that was truncated is read from its beginning, which is told") {
    Rig rig;
    rig.append("log", "a long first line\n");
    CHECK(rig.now() == "a long first line\n");
    std::filesystem::resize_file(rig.directory.file("log"), 0);
    rig.append("log", "short\n");
    CHECK(rig.now() == "|short\n");
    REQUIRE(rig.said.size() == 1);
    CHECK(rig.said[0].find("truncated") != std::string::npos);
}

TEST_CASE("a file that was truncated and filled again at once, beyond its old length, is read from its beginning") {
    Rig rig;
    rig.append("log", "first\nsecond\n");
    CHECK(rig.now() == "first\nsecond\n");
    std::filesystem::resize_file(rig.directory.file("log"), 0);
    rig.append("log", "a longer third line\n");
    CHECK(rig.now() == "|a longer third line\n");
    REQUIRE(rig.said.size() == 1);
    CHECK(rig.said[0].find("may be missing") != std::string::npos);
}

TEST_CASE("a refilled file is recognised also if it was begun at its end") {
    Rig rig(FollowInput::From::end);
    rig.append("log", std::string(10'000, 'a'));
    CHECK(rig.now().empty());
    std::filesystem::resize_file(rig.directory.file("log"), 0);
    rig.append("log", std::string(10'000, 'b') + "c");
    CHECK(rig.now() == "|" + std::string(10'000, 'b') + "c");
}

TEST_CASE("a writer that goes on at its old position after a truncation leaves no NUL bytes in the input") {
    Rig rig;
    rig.append("log", std::string(9'000, 'a'));
    CHECK(rig.now() == std::string(9'000, 'a'));
    std::filesystem::resize_file(rig.directory.file("log"), 0);
    std::filesystem::resize_file(rig.directory.file("log"), 9'000);
    rig.append("log", "next\n");
    CHECK(rig.now() == "|next\n");
}

TEST_CASE("a file that was renamed again before azlock looked is found under its new name") {
    Rig rig;
    rig.append("log", "1");
    CHECK(rig.now() == "1");
    NameWatch names(rig.directory.file("log"), [](const std::string&) {});
    REQUIRE(names.look()->size() == 1);
    rig.rename("log", "log.1");
    rig.append("log", "2");
    rig.rename("log.1", "log.2");
    rig.rename("log", "log.1");
    rig.append("log", "3");
    const auto found = names.look();
    REQUIRE(found);
    REQUIRE(found->size() == 2);
    std::array<std::byte, 2> some{};
    CHECK(read_full_at(found->front().fd.get(), 0, some, "log") == 1U);
    CHECK(some[0] == std::byte{'2'});
    CHECK(names.look()->empty());
}

TEST_CASE("a file that came and went before azlock could open it is reported") {
    test::TempDir directory;
    std::vector<std::string> said;
    const std::string log = directory.file("log");
    NameWatch names(log, [&](const std::string& text) { said.push_back(text); });
    std::ofstream(log) << "1";
    const auto first = names.look();
    REQUIRE(first->size() == 1);
    std::filesystem::rename(log, log + ".1");
    std::ofstream(log) << "2";
    std::filesystem::remove(log);
    std::ofstream(log) << "3";
    const auto third = names.look();
    CHECK(third->size() == 1);
    REQUIRE(said.size() == 1);
    CHECK(said[0].find("a file had the name") == 0);
    std::filesystem::remove(log);
    std::ofstream(log) << "4";
    std::filesystem::rename(log, directory.file("other"));
    std::filesystem::create_directory(directory.file("folder"));
    std::ofstream(log) << "5";
    std::filesystem::rename(log, directory.file("folder/log"));
    CHECK(names.look()->size() == 1);
    CHECK(said.size() == 2);
}

TEST_CASE("a new file is opened at once, also while nobody reads, so that its removal loses nothing") {
    Rig rig;
    rig.append("log", "1");
    CHECK(rig.now() == "1");
    for (const char* text : {"2", "3"}) {
        const std::size_t before = rig.input->files();
        rig.rename("log", "log.1");
        rig.append("log", text);
        REQUIRE(test::eventually([&] { return rig.input->files() == before + 1; }));
        std::filesystem::remove(rig.directory.file("log.1"));
    }
    CHECK(rig.now().empty());
    CHECK(rig.a_second_later() == "|2");
    CHECK(rig.a_second_later() == "|3");
    CHECK(rig.said.empty());
}

TEST_CASE("a folder that is replaced while its file is followed is watched again") {
    test::TempDir directory;
    std::vector<std::string> said;
    const std::string folder = directory.file("logs");
    std::filesystem::create_directory(folder);
    NameWatch names(folder + "/log", [&](const std::string& text) { said.push_back(text); });
    std::filesystem::rename(folder, folder + ".old");
    std::filesystem::create_directory(folder);
    CHECK(names.look()->empty());
    std::ofstream(folder + "/log") << "1";
    std::filesystem::rename(folder + "/log", folder + "/log.1");
    CHECK(names.look()->size() == 1);
    CHECK(said.empty());
}

TEST_CASE("a truncation after a stop does not keep what was written since from being read") {
    Rig rig;
    rig.append("log", "one\n");
    CHECK(rig.now() == "one\n");
    std::filesystem::resize_file(rig.directory.file("log"), 0);
    rig.append("log", "2\n");
    rig.stop.request_stop();
    CHECK(rig.now() == "|2\n.");
}

TEST_CASE("at a stop all that is there is read, of the old file and of the new one, then comes the end") {
    Rig rig;
    rig.append("log", "one\n");
    CHECK(rig.now() == "one\n");
    rig.append("log", "two\n");
    rig.rename("log", "log.1");
    rig.append("log", "new\n");
    rig.stop.request_stop();
    CHECK(rig.now() == "two\n|new\n.");
    Rig missing;
    missing.stop.request_stop();
    CHECK(missing.now() == ".");
}

TEST_CASE("whoever waits for a followed file is woken by what is added, and by a stop") {
    Rig rig;
    rig.append("log", "one\n");
    CHECK(rig.now() == "one\n");
    std::array<std::byte, 10> some{};
    std::jthread writer([&] { rig.append("log", "two\n"); });
    const auto added = rig.input->read(some, kNoDeadline);
    REQUIRE(added);
    CHECK(added->size == 4);
    std::jthread stopper([&] { rig.stop.request_stop(); });
    const auto stopped = rig.input->read(some, kNoDeadline);
    REQUIRE(stopped);
    CHECK(stopped->got == Got::end);
}

TEST_CASE("what is no regular file cannot be followed") {
    test::FakeClock clock;
    test::TempDir directory;
    FollowInput input(directory.path(), FollowInput::From::start, clock, {}, [](const std::string&) {});
    std::array<std::byte, 10> some{};
    const auto read = input.read(some, clock.now());
    REQUIRE(!read);
    CHECK(read.error().code == ErrorCode::usage);
}

}  // namespace azlock::ops
