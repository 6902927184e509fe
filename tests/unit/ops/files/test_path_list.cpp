// Lists of paths: each path as it is written, in whatever pieces the list arrives.
#include <array>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.hpp"
#include "ops/files/path_list.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

using Paths = std::vector<std::string>;

Result<Paths> read(const std::string& file, bool null_separated = false, const std::stop_token& stop = {}) {
    Paths paths;
    const auto take = [&](std::string_view path) -> Status {
        paths.emplace_back(path);
        return {};
    };
    if (Status done = read_path_list(file, null_separated, take, stop); !done) return fail(done.error());
    return paths;
}

// Replaces standard input by a pipe for as long as it lives.
class PipedInput {
  public:
    PipedInput() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
        writer_.reset(ends[1]);
        REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
        ::close(ends[0]);
    }
    PipedInput(const PipedInput&) = delete;
    PipedInput& operator=(const PipedInput&) = delete;
    ~PipedInput() { ::dup2(saved_.get(), STDIN_FILENO); }

    void write(std::string_view text) const { REQUIRE(write_full(writer_.get(), as_bytes(text), "pipe")); }
    void end() { writer_.reset(); }

  private:
    Fd saved_{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
    Fd writer_;
};

}  // namespace

TEST_CASE("a list has one path a line, nothing is trimmed, empty lines count for nothing") {
    const test::TempDir dir;
    CHECK(*read(dir.write("a", "one\n two \n\n\nthree\r\nlast")) == Paths{"one", " two ", "three\r", "last"});
    CHECK(*read(dir.write("b", "one\n")) == Paths{"one"});
    CHECK(read(dir.write("c", ""))->empty());
    CHECK(read(dir.write("d", "\n\n"))->empty());
}

TEST_CASE("a list that is separated by NUL can hold names with line ends") {
    const test::TempDir dir;
    using namespace std::string_literals;
    CHECK(*read(dir.write("a", "one\ntwo\0\0three\0last"s), true) == Paths{"one\ntwo", "three", "last"});
}

TEST_CASE("a list longer than a piece is read whole") {
    const test::TempDir dir;
    std::string text;
    Paths expected;
    for (int i = 0; i < 30'000; ++i) {
        expected.push_back("directory/" + std::string(static_cast<std::size_t>(i % 17), 'x') + std::to_string(i));
        text += expected.back() + "\n";
    }
    CHECK(*read(dir.write("a", text)) == expected);
    const std::string longest(64 * 1024, 'x');
    CHECK(*read(dir.write("b", "a\n" + longest + "\nb\n")) == Paths{"a", longest, "b"});
}

TEST_CASE("a list that cannot be one is refused with the place") {
    const test::TempDir dir;
    using namespace std::string_literals;
    const auto nul = read(dir.write("a", "one\n\ntwo\0three\n"s));
    REQUIRE(!nul);
    CHECK(nul.error().code == ErrorCode::data);
    CHECK(nul.error().message.find("line 3") != std::string::npos);
    CHECK(nul.error().hint.find("--null") != std::string::npos);
    const auto long_line = read(dir.write("b", "one\n" + std::string(1'000'000, 'x')));
    REQUIRE(!long_line);
    CHECK(long_line.error().code == ErrorCode::data);
    CHECK(long_line.error().message.find("line 2") != std::string::npos);
    const auto missing = read(dir.file("none"));
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::input_missing);
}

TEST_CASE("an error of the taker ends the reading of a list") {
    const test::TempDir dir;
    int taken = 0;
    const Status done = read_path_list(dir.write("a", "one\ntwo\nthree\n"), false, [&](std::string_view) -> Status {
        return ++taken == 2 ? Status(fail(ErrorCode::usage, "enough")) : Status();
    });
    REQUIRE(!done);
    CHECK(done.error().message == "enough");
    CHECK(taken == 2);
}

TEST_CASE("a dash is standard input") {
    PipedInput input;
    input.write("one\ntw");
    input.write("o\n");
    input.end();
    CHECK(*read("-") == Paths{"one", "two"});
}

TEST_CASE("a stop does not wait for whoever writes the list") {
    const PipedInput input;
    input.write("one\n");
    std::stop_source stop;
    const auto take = [&](std::string_view) -> Status {
        stop.request_stop();
        return {};
    };
    const Status done = read_path_list("-", false, take, stop.get_token());
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::cancelled);
}

}  // namespace azlock::ops
