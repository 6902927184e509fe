// base/file: descriptors, whole reads and writes, their errors, and the identity of a source.
#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace azlock;
using azlock::test::TempDir;

namespace {

bool is_open(int fd) {
    return fcntl(fd, F_GETFD) >= 0;
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("an Fd closes what it owns, once, and moving takes it along") {
    const TempDir dir;
    const std::string path = dir.write("f", "x");
    int raw = -1;
    {
        Fd first = open_input(path).value();
        raw = first.get();
        Fd second(std::move(first));
        CHECK_FALSE(first);
        CHECK(second.get() == raw);
        Fd third;
        third = std::move(second);
        Fd& same = third;
        third = std::move(same);
        CHECK(is_open(raw));
    }
    CHECK_FALSE(is_open(raw));
    Fd released = open_input(path).value();
    const Fd closes_it(released.release());
    CHECK(is_open(closes_it.get()));
    CHECK_FALSE(released);
}

TEST_CASE("an input is opened close-on-exec") {
    const TempDir dir;
    const auto fd = open_input(dir.write("f", "x"));
    REQUIRE(fd);
    CHECK((fcntl(fd->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a missing, unreadable or wrong input is input_missing with a plain line") {
    const TempDir dir;
    const auto missing = open_input(dir.file("no such"));
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::input_missing);
    CHECK(missing.error().message == "cannot open '" + dir.file("no such") + "': no such file or directory");
    CHECK(missing.error().target == dir.file("no such"));

    const auto folder = open_input(dir.path());
    REQUIRE_FALSE(folder);
    CHECK(folder.error().code == ErrorCode::input_missing);
    CHECK(folder.error().message == "cannot read '" + dir.path() + "': is a directory");

    CHECK_FALSE(open_input(""));
    CHECK_FALSE(open_input(dir.write("f", "x") + "/below"));
    CHECK_FALSE(open_input(dir.file(std::string("f\0g", 3))));
    CHECK(open_input(dir.file("bad\nname")).error().message.find('\n') == std::string::npos);
    if (geteuid() != 0) {
        chmod(dir.write("secret", "x").c_str(), 0);
        CHECK(open_input(dir.file("secret")).error().code == ErrorCode::input_missing);
    }
}

TEST_CASE("a positional read fills its buffer and is short only at the end") {
    const TempDir dir;
    const std::string path = dir.write("f", "0123456789");
    const auto fd = open_input(path);
    std::array<std::byte, 4> buffer{};
    CHECK(read_full_at(fd->get(), 3, buffer, path).value() == 4);
    CHECK(text_of(buffer) == "3456");
    CHECK(read_full_at(fd->get(), 8, buffer, path).value() == 2);
    CHECK(read_full_at(fd->get(), 10, buffer, path).value() == 0);
    CHECK(read_full_at(fd->get(), 1'000, buffer, path).value() == 0);
    CHECK(read_full_at(fd->get(), 0, {}, path).value() == 0);
    CHECK_FALSE(read_full_at(fd->get(), ~std::uint64_t{0}, buffer, path));
    CHECK(lseek(fd->get(), 0, SEEK_CUR) == 0);
}

TEST_CASE("positional writes land where they belong, in any order") {
    const TempDir dir;
    const Fd fd(open(dir.file("f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    CHECK(write_full_at(fd.get(), 5, as_bytes("world"), "f"));
    CHECK(write_full_at(fd.get(), 0, as_bytes("hello"), "f"));
    CHECK(test::read_text_file(dir.file("f")) == "helloworld");
    CHECK_FALSE(write_full_at(fd.get(), ~std::uint64_t{0} - 2, as_bytes("world"), "f"));
}

TEST_CASE("a stream is read whole although it comes in pieces") {
    Pipe pipe = make_pipe();
    Status written;
    std::jthread writer([&, fd = std::move(pipe.write_end)] {
        for (const char* piece : {"ab", "c", "defgh"}) {
            if (written) written = write_full(fd.get(), as_bytes(piece), "pipe");
        }
    });
    std::array<std::byte, 64> buffer{};
    const auto n = read_full(pipe.read_end.get(), buffer, "pipe");
    CHECK(n.value() == 8);
    CHECK(text_of(std::span(buffer).first(8)) == "abcdefgh");
    writer.join();
    CHECK(written);
}

TEST_CASE("more than a non-blocking pipe holds is written whole") {
    Pipe pipe = make_pipe();
    REQUIRE(fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK) == 0);
    const std::string sent(1'000'000, 'x');
    Status written;
    std::jthread writer(
        [&, fd = std::move(pipe.write_end)] { written = write_full(fd.get(), as_bytes(sent), "pipe"); });
    std::string got(sent.size(), '\0');
    CHECK(read_full(pipe.read_end.get(), std::as_writable_bytes(std::span(got)), "pipe").value() == sent.size());
    writer.join();
    CHECK(written);
    CHECK(got == sent);
}

TEST_CASE("a reader that has gone is an I/O error, not a death, where SIGPIPE is ignored") {
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe = make_pipe();
    pipe.read_end.reset();
    const Status written = write_full(pipe.write_end.get(), as_bytes("x"), "standard output");
    std::signal(SIGPIPE, old);
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::io);
    CHECK(written.error().message == "cannot write 'standard output': broken pipe");
}

TEST_CASE("a full disk is an I/O error that names the file and says so") {
    const Fd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
    REQUIRE(full);
    for (const Status& written :
         {write_full(full.get(), as_bytes("x"), "out.bin"), write_full_at(full.get(), 7, as_bytes("x"), "out.bin")}) {
        REQUIRE_FALSE(written);
        CHECK(written.error().code == ErrorCode::io);
        CHECK(written.error().message == "cannot write 'out.bin': no space left on device");
        CHECK(written.error().target == "out.bin");
    }
}

TEST_CASE("reading what is not readable is an I/O error") {
    const TempDir dir;
    const Fd fd(open(dir.file("f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    std::array<std::byte, 1> buffer{};
    const auto n = read_full_at(fd.get(), 0, buffer, "f");
    REQUIRE_FALSE(n);
    CHECK(n.error().code == ErrorCode::io);
}

TEST_CASE("a file's identity stays while it is read and changes when it is written, replaced or touched") {
    const TempDir dir;
    const std::string path = dir.write("f", "one");
    const Fd fd = open_input(path).value();
    const auto before = identify(fd.get(), path);
    REQUIRE(before);
    CHECK(before->size == 3);
    CHECK(before->regular);
    std::array<std::byte, 3> buffer{};
    CHECK(read_full_at(fd.get(), 0, buffer, path));
    CHECK(identify(fd.get(), path).value() == *before);

    dir.write("other", "two");
    const Fd other = open_input(dir.file("other")).value();
    CHECK_FALSE(identify(other.get(), path).value() == *before);

    const timespec touched[2] = {{1, 0}, {1, 5}};
    REQUIRE(futimens(fd.get(), touched) == 0);
    CHECK_FALSE(identify(fd.get(), path).value() == *before);
    CHECK(identify(fd.get(), path)->mtime_ns == 1'000'000'005);

    const Pipe pipe = make_pipe();
    CHECK_FALSE(identify(pipe.read_end.get(), "pipe")->regular);
    CHECK_FALSE(identify(-1, "none"));
}

TEST_CASE("what is read whole is a regular file, /dev/null, or a pipe that somebody has opened for us") {
    const TempDir dir;
    const std::string fifo = dir.file("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (const std::string& path : {fifo, std::string("/dev/zero")}) {
        CAPTURE(path);
        const auto refused = open_whole_input(path);
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::input_missing);
        CHECK(refused.error().message.find("is a FIFO or a device") != std::string::npos);
    }
    CHECK(open_whole_input("/dev/null"));
    CHECK(open_whole_input(dir.write("file", "x")));
    Pipe pipe = make_pipe();
    const auto opened = open_whole_input("/dev/fd/" + std::to_string(pipe.read_end.get()));
    REQUIRE(opened);
    const std::jthread writer(
        [end = std::move(pipe.write_end)] { (void)write_full(end.get(), as_bytes("text"), "pipe"); });
    char text[8] = {};
    CHECK(read_full(opened->get(), std::as_writable_bytes(std::span(text, 4)), "pipe") == 4);
    CHECK(std::string(text) == "text");
}
