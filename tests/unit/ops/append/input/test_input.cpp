// From an input to batches: what is sent and when, in which order, and what is left after a stop.
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "ops/append/input/fd_input.hpp"
#include "ops/append/input/input.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

using Next = BatchSource::Next;
using std::chrono::milliseconds;
using test::eventually;

struct Pipe {
    Pipe() {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        out.reset(ends[0]);
        in.reset(ends[1]);
    }
    void write(std::string_view text) const { test::must(write_full(in.get(), as_bytes(text), "pipe").has_value()); }
    Fd out;
    Fd in;
};

class Rig {
  public:
    void start() {
        std::unique_ptr<Spool> spool;
        if (options.spool) spool = std::move(*Spool::open(*options.spool, [](const std::string&) {}));
        auto made = AppendInput::start(
            options, std::move(spool),
            [this](const std::stop_token& token) -> Result<std::unique_ptr<ByteInput>> {
                return std::make_unique<FdInput>(pipe.out.get(), "the pipe", clock, token);
            },
            clock, stop.get_token(),
            [this](const std::string& text) {
                const std::lock_guard lock(mutex_);
                said_.push_back(text);
            });
        REQUIRE(made);
        input = std::move(*made);
    }
    // The next batch as text; "" at the end.
    std::string next() {
        const auto found = input->source().wait(kNoDeadline);
        REQUIRE(found);
        if (*found == Next::end) return "";
        REQUIRE(*found == Next::batch);
        const AppendBatch& batch = input->source().batch();
        std::string text(reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size());
        source_end = batch.source_end;
        lines += batch.lines;
        REQUIRE(input->source().sending({"blob", 0, ""}));
        REQUIRE(input->source().confirmed());
        return text;
    }
    std::string rest() {
        std::string all;
        for (std::string text = next(); !text.empty(); text = next()) all += text;
        return all;
    }
    bool nothing_yet() { return input->source().wait(clock.now()) == Next::nothing_yet; }
    void read_so_far(std::uint64_t bytes) {
        REQUIRE(eventually([&] { return input->source().unconfirmed_bytes() == bytes; }));
    }
    std::vector<std::string> said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }

    AppendInputOptions options;
    Pipe pipe;
    test::FakeClock clock;
    std::stop_source stop;
    std::uint64_t source_end = 0;
    std::uint64_t lines = 0;
    std::unique_ptr<AppendInput> input;

  private:
    std::mutex mutex_;
    std::vector<std::string> said_;
};

}  // namespace

TEST_CASE("what comes is sent when the input pauses, no sooner") {
    Rig rig;
    rig.start();
    rig.pipe.write("one\n");
    rig.read_so_far(4);
    CHECK(rig.nothing_yet());
    rig.clock.advance(milliseconds(199));
    CHECK(rig.nothing_yet());
    rig.clock.advance(milliseconds(1));
    CHECK(rig.next() == "one\n");
    CHECK(rig.source_end == 4);
}

TEST_CASE("what comes without a pause is sent after the flush interval") {
    Rig rig;
    rig.start();
    for (int i = 0; i < 10; ++i) {
        rig.pipe.write("x");
        rig.read_so_far(static_cast<std::uint64_t>(i) + 1);
        CHECK(rig.nothing_yet());
        rig.clock.advance(milliseconds(100));
    }
    CHECK(rig.next() == "xxxxxxxxxx");
}

TEST_CASE("a batch of the full size is sent at once, and the rest at the end") {
    Rig rig;
    rig.options.buffer.pace.batch_size = 8;
    rig.start();
    rig.pipe.write("0123456789");
    CHECK(rig.next() == "01234567");
    rig.pipe.in.reset();
    CHECK(rig.next() == "89");
    CHECK(rig.next() == "");
}

TEST_CASE("an empty input has an end and no batch") {
    Rig rig;
    rig.start();
    rig.pipe.in.reset();
    CHECK(rig.next() == "");
}

TEST_CASE("a stop takes what the pipe holds at that moment, a line that has begun included, and no more") {
    Rig rig;
    rig.options.cut.lines = true;
    rig.options.buffer.memory = 16 * 1024;
    rig.options.buffer.pace.batch_size = 4096;
    rig.start();
    // More than the buffer takes, so that the pipe holds the rest when the stop comes.
    std::string text;
    while (text.size() < 60'000) text += "line " + std::to_string(text.size()) + '\n';
    text += "begun";
    rig.pipe.write(text);
    rig.stop.request_stop();
    CHECK(rig.rest() == text);
    CHECK(rig.source_end == text.size());
    rig.pipe.write("too late\n");
    CHECK(rig.next() == "");
}

TEST_CASE("an input that goes away while it reads does not wait for its pipe nor for room") {
    Rig rig;
    rig.options.buffer.memory = 16 * 1024;
    rig.options.buffer.pace.batch_size = 4096;
    rig.start();
    rig.input.reset();
    rig.start();
    rig.pipe.write(std::string(40'000, 'x'));
    REQUIRE(eventually([&] { return rig.input->source().unconfirmed_bytes() > 0; }));
    rig.input.reset();
}

TEST_CASE("an input that cannot be read is an error that names it") {
    Rig rig;
    rig.pipe.out.reset(::open("/", O_RDONLY | O_CLOEXEC));
    rig.start();
    const auto next = rig.input->source().wait(kNoDeadline);
    REQUIRE(!next);
    CHECK(next.error().code == ErrorCode::io);
    CHECK(next.error().message.find("the pipe") != std::string::npos);
}

TEST_CASE("a line that is longer than half the buffer is told of once") {
    Rig rig;
    rig.options.cut.lines = true;
    rig.options.buffer.memory = 20'000;
    rig.start();
    const std::string text = std::string(15'000, 'x') + "\nshort\n" + std::string(15'000, 'y') + "\n";
    std::jthread writer([&] {
        rig.pipe.write(text);
        rig.pipe.in.reset();
    });
    CHECK(rig.rest() == text);
    CHECK(rig.lines == 3);
    CHECK(rig.input->split_lines() == 2);
    REQUIRE(rig.said().size() == 1);
    CHECK(rig.said()[0].find("a line is longer than") == 0);
}

TEST_CASE("a copy of what is read goes where --tee says") {
    Rig rig;
    const Pipe copy;
    rig.options.tee = copy.in.get();
    rig.options.cut.lines = true;
    rig.options.cut.stamp = *LineStamp::make({false, "", "p "});
    rig.start();
    rig.pipe.write("one\ntwo\n");
    rig.pipe.in.reset();
    CHECK(rig.rest() == "p one\np two\n");
    std::array<std::byte, 8> got{};
    REQUIRE(read_full(copy.out.get(), got, "copy"));
    CHECK(std::equal(got.begin(), got.end(), as_bytes("one\ntwo\n").begin()));
}

TEST_CASE("a reader of the copy that goes away ends the copy, not the appending") {
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    Rig rig;
    Pipe copy;
    copy.out.reset();
    rig.options.tee = copy.in.get();
    rig.start();
    rig.pipe.write("one\n");
    rig.read_so_far(4);
    rig.pipe.write("two\n");
    rig.pipe.in.reset();
    CHECK(rig.rest() == "one\ntwo\n");
    REQUIRE(rig.said().size() == 1);
    CHECK(rig.said()[0].find("its reader has gone") != std::string::npos);
    std::signal(SIGPIPE, old);
}

TEST_CASE("a reader of the copy that reads no more holds up the input, but not its end at a stop") {
    Rig rig;
    const Pipe copy;
    REQUIRE(fcntl(copy.in.get(), F_SETPIPE_SZ, 4096) == 4096);
    rig.options.tee = copy.in.get();
    rig.start();
    rig.pipe.write(std::string(20'000, 'x'));
    rig.read_so_far(20'000);
    CHECK(rig.nothing_yet());
    rig.stop.request_stop();
    std::atomic<bool> done{false};
    std::jthread time([&] {
        while (!done) {
            rig.clock.advance(milliseconds(100));
            std::this_thread::sleep_for(milliseconds(1));
        }
    });
    CHECK(rig.rest().size() == 20'000);
    done = true;
    CHECK(rig.said().size() == 1);
}

TEST_CASE("any input in any pieces comes out as it went in, whatever the sizes, through memory and through a spool") {
    std::mt19937 random(11);
    const auto below = [&](std::size_t n) { return random() % n; };
    for (int round = 0; round < 30; ++round) {
        CAPTURE(round);
        Rig rig;
        test::TempDir directory;
        rig.options.cut.lines = below(2) == 0;
        rig.options.buffer.memory = 16 * 1024 + below(20'000);
        rig.options.buffer.pace.batch_size = 500 + below(7500);
        if (below(2) == 0) rig.options.spool = SpoolOptions{directory.file("spool"), "blob", 1U << 20U};
        rig.start();
        std::string text;
        for (std::size_t n = 30'000 + below(30'000); n > 0; --n) {
            text += below(50) == 0 ? '\n' : static_cast<char>(below(256));
        }
        std::vector<std::size_t> pieces;
        for (int i = 0; i < 100; ++i) pieces.push_back(1 + below(4000));
        std::jthread writer([&] {
            std::size_t turn = 0;
            for (std::string_view left = text; !left.empty();) {
                const std::string_view piece = left.substr(0, pieces[turn++ % pieces.size()]);
                rig.pipe.write(piece);
                left.remove_prefix(piece.size());
                rig.clock.advance(milliseconds(40));
            }
            rig.pipe.in.reset();
        });
        REQUIRE((rig.rest() == text));
        CHECK(rig.source_end == text.size());
        CHECK(rig.lines == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
        CHECK(rig.input->source().unconfirmed_bytes() == 0);
        CHECK(rig.input->dropped().bytes == 0);
        rig.input.reset();
        if (rig.options.spool) CHECK(std::filesystem::is_empty(directory.file("spool")));
    }
}

}  // namespace azlock::ops
