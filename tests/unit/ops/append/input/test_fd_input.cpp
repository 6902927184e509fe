// A file that is read to its end is one version of it, or that is an error.
#include <filesystem>
#include <fstream>

#include "ops/append/input/fd_input.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using Got = ByteInput::Got;

// A file of which ten bytes were read.
struct Rig {
    explicit Rig(const std::string& content)
        : path(directory.write("data", content)), input(open_input(path).value(), path, clock, stop.get_token()) {
        REQUIRE(next() == content.substr(0, 10));
    }
    std::string next() {
        std::array<std::byte, 10> some{};
        const auto read = input.read(some, kNoDeadline);
        if (!read) {
            failed = read.error();
            return "";
        }
        return {reinterpret_cast<const char*>(some.data()), read->size};
    }
    std::string rest() {
        std::string all;
        for (std::string text = next(); !text.empty(); text = next()) all += text;
        return all;
    }
    void write(std::string_view text, std::ios::openmode mode) const {
        // The times of files have steps of a few milliseconds.
        std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        std::ofstream(path, mode | std::ios::binary) << text;
    }

    test::TempDir directory;
    test::FakeClock clock;
    std::stop_source stop;
    std::string path;
    FdInput input;
    std::optional<Error> failed;
};

}  // namespace

TEST_CASE("a file that is truncated while it is read is an error at its end") {
    Rig rig("0123456789abcdefghij");
    std::filesystem::resize_file(rig.path, 5);
    CHECK(rig.rest().empty());
    REQUIRE(rig.failed);
    CHECK(rig.failed->code == ErrorCode::data);
    CHECK(rig.failed->message.find("was truncated or rewritten while it was read") != std::string::npos);
}

TEST_CASE("a file that is rewritten while it is read is an error, also if its length is the same") {
    Rig rig("0123456789abcdefghij");
    rig.write("XXXXXXXXXXYYYYYYYYYY", std::ios::in | std::ios::out);
    CHECK(rig.rest() == "YYYYYYYYYY");
    REQUIRE(rig.failed);
    CHECK(rig.failed->code == ErrorCode::data);
}

TEST_CASE("a file that only grows while it is read is read to its end") {
    Rig rig("0123456789");
    rig.write("more", std::ios::app);
    CHECK(rig.rest() == "more");
    CHECK(!rig.failed);
}

TEST_CASE("a file whose part that was not read yet is rewritten is one version all the same") {
    Rig rig("0123456789abcdefghij");
    rig.write("0123456789ABCDEFGHIJ", std::ios::in | std::ios::out);
    CHECK(rig.rest() == "ABCDEFGHIJ");
    CHECK(!rig.failed);
}

}  // namespace azlock::ops
