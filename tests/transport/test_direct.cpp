// Bodies that are part of a file may be sent from the page cache, without the HTTP library: the same bytes arrive.
#include <csignal>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

constexpr std::uint64_t kLarge = 30'000'000;  // far more than both sides' socket buffers

std::string pattern_text(std::uint64_t offset, std::uint64_t size) {
    std::string text(size, '\0');
    PatternBody::fill(offset, std::as_writable_bytes(std::span(text)));
    return text;
}

// `size` bytes of a file from `offset` on. A transport that does not read the file itself calls read_at().
class FileBody final : public http::Body {
  public:
    FileBody(int fd, std::uint64_t offset, std::uint64_t size) : fd_(fd), offset_(offset), size_(size) {}
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] std::optional<FilePart> file_part() const override { return FilePart{fd_, offset_}; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t at, std::span<std::byte> out) const override {
        if (fails_) return fail(ErrorCode::data, "the file changed");
        PatternBody::fill(kShift + at, out);
        return out.size();
    }
    void fail_to_read() { fails_ = true; }

    static constexpr std::uint64_t kShift = 7;  // read_at() gives other bytes than the file: tests see which was used

  private:
    int fd_;
    std::uint64_t offset_;
    std::uint64_t size_;
    bool fails_ = false;
};

struct PatternFile {
    explicit PatternFile(std::uint64_t size) : path(directory.write("file", pattern_text(0, size))) {
        fd = open_input(path).value();
    }
    TempDir directory;
    std::string path;
    Fd fd;
};

// Keeps the bodies that came.
WireServer::Script keep(std::vector<std::string>& bodies) {
    return [&bodies](Wire& wire) {
        while (auto request = wire.read_head()) {
            bodies.push_back(wire.read_body(request->content_length()));
            wire.answer(201);
        }
    };
}

// Reads a little of each body, and no more.
void read_a_little(Wire& wire) {
    wire.read_head();
    wire.skip_body(100'000);
    wire.server().count("reading stopped");
    wire.wait_for_client();
}

WireOptions small_buffers() {
    WireOptions options = plain_or_tls();
    options.receive_buffer = 64 * 1024;
    return options;
}

}  // namespace

TEST_CASE("Bodies around the size of the library's buffer arrive whole, one after the other on one connection") {
    std::vector<std::string> bodies;
    Stage stage(keep(bodies), plain_or_tls());
    constexpr std::uint64_t kBuffer = 256 * 1024;
    const std::vector<std::uint64_t> sizes{1, kBuffer - 1, kBuffer, kBuffer + 1, 2 * kBuffer, 5'000'003, 3};
    for (const std::uint64_t size : sizes) {
        const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(size)));
        REQUIRE(answer);
        CHECK(answer->status == 201);
    }
    REQUIRE(bodies.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) CHECK((bodies[i] == pattern_text(0, sizes[i])));
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A part of a file arrives, its bulk out of the file itself without TLS, and its end as read", "[direct]") {
    std::vector<std::string> bodies;
    const bool tls = GENERATE(false, true);
    const bool direct = GENERATE(true, false);
    WireOptions wire;
    wire.tls = tls;
    auto options = trusting();
    options.direct = direct;
    Stage stage(keep(bodies), wire, options);
    const PatternFile file(3'000'000);
    constexpr std::uint64_t kOffset = 12'345;
    constexpr std::uint64_t kSize = 2'000'000;
    REQUIRE(stage.send(put_of(stage.server.origin(), std::make_shared<FileBody>(file.fd.get(), kOffset, kSize))));
    REQUIRE(bodies.size() == 1);
    const std::string as_read = pattern_text(FileBody::kShift, kSize);
    std::string mixed = pattern_text(kOffset, kSize);
    constexpr std::size_t kEnd = 256 * 1024;
    mixed.replace(kSize - kEnd, kEnd, as_read, kSize - kEnd, kEnd);
    CHECK((bodies[0] == (direct && !tls ? mixed : as_read)));
}

TEST_CASE("What cannot be sent out of the file is read") {
    std::vector<std::string> bodies;
    Stage stage(keep(bodies), plain_or_tls());
    Fd fd;
    SECTION("a descriptor that is none") {}
    SECTION("a pipe") {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        Fd(ends[1]).reset();
        fd = Fd(ends[0]);
    }
    SECTION("a file that ends too early, from where it ends") {
        fd = open_input(TempDir().write("file", pattern_text(FileBody::kShift, 500'000))).value();
    }
    constexpr std::uint64_t kSize = 1'000'000;
    REQUIRE(stage.send(put_of(stage.server.origin(), std::make_shared<FileBody>(fd.get(), 0, kSize))));
    REQUIRE(bodies.size() == 1);
    CHECK((bodies[0] == pattern_text(FileBody::kShift, kSize)));
}

TEST_CASE("A file that became shorter ends the attempt with what reading it says") {
    std::vector<std::string> bodies;
    Stage stage(keep(bodies), plain_or_tls());
    const PatternFile file(1'000'000);
    const auto body = std::make_shared<FileBody>(file.fd.get(), 0, 2'000'000);
    body->fail_to_read();
    const auto answer = stage.send(put_of(stage.server.origin(), body));
    REQUIRE(!answer);
    CHECK(answer.error().fault == TransportFault::local_body);
    CHECK(answer.error().message == "the file changed");
    CHECK(!answer.error().may_have_applied);
}

TEST_CASE("A server that stops reading a file is a timeout at the deadline, and a stop is heard") {
    Stage stage(read_a_little, small_buffers());
    const PatternFile file(kLarge);
    const auto request = put_of(stage.server.origin(), std::make_shared<FileBody>(file.fd.get(), 0, kLarge));
    const SystemClock clock;
    SECTION("the deadline") {
        const BootTime start = clock.now();
        const auto answer = stage.send(request, std::chrono::milliseconds(300));
        REQUIRE(!answer);
        CHECK(answer.error().fault == TransportFault::timeout);
        CHECK(!answer.error().may_have_applied);
        CHECK(clock.now() - start < std::chrono::milliseconds(300) + kPrompt);
    }
    SECTION("the stop") {
        std::stop_source source;
        BootTime stopped;
        std::jthread stopper([&] {
            (void)stage.server.wait_for("reading stopped");
            stopped = clock.now();
            source.request_stop();
        });
        const auto answer = stage.transport->send(request, in(kAmple), source.get_token());
        const BootTime end = clock.now();
        stopper.join();
        REQUIRE(!answer);
        CHECK(answer.error().code == ErrorCode::cancelled);
        CHECK(!answer.error().may_have_applied);
        CHECK(end - stopped < kPrompt);
    }
}

TEST_CASE("A server that stops reading is a stall, however much time is left") {
    Stage stage(read_a_little, small_buffers());
    const PatternFile file(kLarge);
    http::Request request = put_of(stage.server.origin(), std::make_shared<PatternBody>(kLarge));
    if (GENERATE(true, false)) request.body = std::make_shared<FileBody>(file.fd.get(), 0, kLarge);
    request.stall_timeout = std::chrono::milliseconds(600);
    const auto answer = stage.transport->send(request, kNoDeadline, {});
    REQUIRE(!answer);
    CHECK(answer.error().fault == TransportFault::timeout);
    CHECK(answer.error().message.find("stalled") != std::string::npos);
    CHECK(!answer.error().may_have_applied);
}

TEST_CASE("A server that breaks off while a file is being sent is an early close, its last answer counts, no signal") {
    const bool answers = GENERATE(true, false);
    Stage stage(
        [answers](Wire& wire) {
            wire.read_head();
            wire.skip_body(100'000);
            if (answers) {
                wire.answer(403, "why");
                wire.close();
            } else {
                wire.reset();
            }
        },
        small_buffers());
    const PatternFile file(kLarge);
    for (int i = 0; i < 5; ++i) {
        const auto answer =
            stage.send(put_of(stage.server.origin(), std::make_shared<FileBody>(file.fd.get(), 0, kLarge)));
        if (answers) {
            REQUIRE(answer);
            CHECK(answer->status == 403);
            CHECK(answer->early);
        } else {
            REQUIRE(!answer);
            CHECK(answer.error().fault == TransportFault::early_close);
            CHECK(!answer.error().may_have_applied);
        }
    }
    sigset_t pending;
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 0);
}

TEST_CASE("A stale connection under a file is followed by a new one") {
    std::vector<std::string> bodies;
    Stage stage(
        [&](Wire& wire) {
            if (wire.number() > 0) return keep(bodies)(wire);
            wire.read_request();
            wire.answer(200);
            wire.read_head();
            wire.reset();
        },
        small_buffers());
    REQUIRE(stage.send(stage.request(Method::get)));
    const PatternFile file(kLarge);
    const auto answer = stage.send(put_of(stage.server.origin(), std::make_shared<FileBody>(file.fd.get(), 0, kLarge)));
    REQUIRE(answer);
    CHECK(answer->times_sent == 1);
    REQUIRE(bodies.size() == 1);
    CHECK(bodies[0].size() == kLarge);
}
