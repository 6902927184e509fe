// Between reader and sender nothing is lost, doubled or put in another order; memory is bounded; a crash loses nothing
// that was spooled.
#include <filesystem>
#include <thread>

#include "ops/append/input/batch_buffer.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::ops {
namespace {

using Next = BatchSource::Next;
using test::eventually;
using test::must;

AppendBatch batch_of(std::string_view text, std::uint64_t source_end = 0) {
    AppendBatch batch;
    batch.bytes.assign(as_bytes(text).begin(), as_bytes(text).end());
    batch.lines = 1;
    batch.source_end = source_end;
    return batch;
}

std::string text_of(const AppendBatch& batch) {
    return {reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size()};
}

class Rig {
  public:
    BatchBuffer& buffer(std::unique_ptr<Spool> spool = nullptr) {
        buffer_.emplace(options, std::move(spool), clock, [this](const std::string& text) {
            const std::lock_guard lock(mutex_);
            said_.push_back(text);
        });
        return *buffer_;
    }
    std::unique_ptr<Spool> spool(std::uint64_t max = 1U << 30U) {
        auto made = Spool::open({directory.file("spool"), "blob", max}, [](const std::string&) {});
        REQUIRE(made);
        return std::move(*made);
    }
    // Takes and confirms all batches up to the end.
    std::vector<std::string> drain() {
        std::vector<std::string> out;
        for (;;) {
            const auto next = buffer_->wait(kNoDeadline);
            REQUIRE(next);
            if (*next == Next::end) return out;
            out.push_back(text_of(buffer_->batch()));
            REQUIRE(buffer_->sending({"blob", 0, ""}));
            REQUIRE(buffer_->confirmed());
        }
    }
    // Ends the run as kill -9 does: the spool's file stays as it is now.
    void crash() {
        const std::string path = std::filesystem::directory_iterator(directory.file("spool"))->path();
        std::filesystem::copy_file(path, directory.file("copy"), std::filesystem::copy_options::overwrite_existing);
        buffer_.reset();
        std::filesystem::rename(directory.file("copy"), path);
    }
    std::vector<std::string> said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }

    test::TempDir directory;
    test::FakeClock clock;
    BufferOptions options{.memory = 100, .pace = {.batch_size = 10}, .largest = 50};

  private:
    std::mutex mutex_;
    std::vector<std::string> said_;
    std::optional<BatchBuffer> buffer_;
};

}  // namespace

TEST_CASE("a buffer gives out its batches in order, the same one until it is confirmed, and then the end") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    buffer.count_read(16);
    REQUIRE(buffer.push(batch_of("12345678", 8), 8));
    REQUIRE(buffer.push(batch_of("abcdefgh", 16), 8));
    buffer.end();
    for (int i = 0; i < 2; ++i) {
        REQUIRE(buffer.wait(kNoDeadline) == Next::batch);
        CHECK(text_of(buffer.batch()) == "12345678");
    }
    CHECK(buffer.batch().source_end == 8);
    CHECK(buffer.unconfirmed_bytes() == 16);
    REQUIRE(buffer.confirmed());
    CHECK(buffer.unconfirmed_bytes() == 8);
    CHECK(rig.drain() == std::vector<std::string>{"abcdefgh"});
    CHECK(buffer.unconfirmed_bytes() == 0);
}

TEST_CASE("an empty buffer waits until its time has come") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    CHECK(buffer.wait(rig.clock.now()) == Next::nothing_yet);
    const Deadline until = rig.clock.after(std::chrono::seconds(5));
    const std::jthread later([&] { rig.clock.advance(std::chrono::seconds(5)); });
    CHECK(buffer.wait(until) == Next::nothing_yet);
}

TEST_CASE("an input that cannot be read is an error after what was read before") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    REQUIRE(buffer.push(batch_of("good"), 4));
    buffer.end(make_error(ErrorCode::io, "broken"));
    REQUIRE(buffer.wait(kNoDeadline) == Next::batch);
    REQUIRE(buffer.confirmed());
    const auto next = buffer.wait(kNoDeadline);
    REQUIRE(!next);
    CHECK(next.error().message == "broken");
}

TEST_CASE("small batches that wait are sent together, up to the size of one") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    for (const char* text : {"1234", "56", "789a", "b"}) REQUIRE(buffer.push(batch_of(text), 1));
    buffer.end();
    CHECK(rig.drain() == std::vector<std::string>{"123456789a", "b"});
}

TEST_CASE("the more blocks a blob has the more is sent together, up to the largest batch") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    buffer.blocks_in_blob(10'000);
    CHECK(buffer.pace().batch_size == 20);
    CHECK(buffer.pace().flush_interval == std::chrono::seconds(4));
    buffer.blocks_in_blob(49'999);
    CHECK(buffer.pace().batch_size == 50);
    CHECK(buffer.pace().flush_interval == std::chrono::seconds(256));
    buffer.blocks_in_blob(3);
    CHECK(buffer.pace().batch_size == 10);
}

TEST_CASE("a full buffer stops the reader until a batch is confirmed") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    const std::string text(40, 'x');
    std::atomic<int> pushed{0};
    std::jthread reader([&] {
        for (int i = 0; i < 4; ++i) {
            must(buffer.push(batch_of(text + std::to_string(i)), 41));
            ++pushed;
        }
        buffer.end();
    });
    REQUIRE(eventually([&] { return pushed == 2; }));
    REQUIRE(buffer.wait(kNoDeadline) == Next::batch);
    CHECK(pushed == 2);
    REQUIRE(buffer.confirmed());
    REQUIRE(eventually([&] { return pushed == 3; }));
    CHECK(rig.drain() == std::vector<std::string>{text + "1", text + "2", text + "3"});
}

TEST_CASE("a reader that waits for room is let go when the buffer is abandoned") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer();
    REQUIRE(buffer.push(batch_of(std::string(60, 'x')), 60));
    std::jthread other([&] { buffer.abandon(); });
    CHECK(!buffer.push(batch_of(std::string(60, 'x')), 60));
}

TEST_CASE("drop-oldest drops and counts the oldest that is not being sent, and never waits") {
    Rig rig;
    rig.options.on_full = OnFull::drop_oldest;
    BatchBuffer& buffer = rig.buffer();
    const std::string text(40, 'x');
    buffer.count_read(5 * 41);
    REQUIRE(buffer.push(batch_of(text + "0", 41), 41));
    REQUIRE(buffer.wait(kNoDeadline) == Next::batch);
    for (int i = 1; i < 5; ++i) REQUIRE(buffer.push(batch_of(text + std::to_string(i), 41U * (i + 1U)), 41));
    buffer.end();
    CHECK(buffer.dropped().bytes == 3 * 41);
    CHECK(buffer.dropped().lines == 3);
    CHECK(buffer.unconfirmed_bytes() == 2 * 41);
    CHECK(rig.drain() == std::vector<std::string>{text + "0", text + "4"});
    CHECK(buffer.unconfirmed_bytes() == 0);
}

TEST_CASE("with a spool, what memory does not hold comes from the disk, and the reader does not wait") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer(rig.spool());
    std::vector<std::string> wanted;
    for (int i = 0; i < 50; ++i) {
        wanted.push_back(std::string(40, 'x') + std::to_string(i));
        REQUIRE(buffer.push(batch_of(wanted.back()), 1));
    }
    buffer.end();
    CHECK(rig.drain() == wanted);
    CHECK(buffer.spooled_bytes() == 0);
}

TEST_CASE("after a crash a spool's batches come first, and the one that was under way says where to") {
    Rig rig;
    BatchBuffer* buffer = &rig.buffer(rig.spool());
    for (const char* text : {"first-", "two", "three", "four-----"}) REQUIRE(buffer->push(batch_of(text, 99), 1));
    REQUIRE(buffer->wait(kNoDeadline) == Next::batch);
    CHECK(!buffer->pending_mark());
    CHECK(text_of(buffer->batch()) == "first-two");
    REQUIRE(buffer->sending({"log.0001", 77, "lease"}));
    rig.crash();
    // More fits into a batch now. But what was sent in one request must stay one batch, so that it can be found.
    rig.options.pace.batch_size = 50;
    buffer = &rig.buffer(rig.spool());
    REQUIRE(rig.said().back().find("of an earlier run") != std::string::npos);
    REQUIRE(buffer->push(batch_of("new", 3), 3));
    buffer->end();
    REQUIRE(buffer->wait(kNoDeadline) == Next::batch);
    CHECK(text_of(buffer->batch()) == "first-two");
    CHECK(buffer->batch().source_end == 0);
    REQUIRE(buffer->pending_mark());
    CHECK(buffer->pending_mark()->blob == "log.0001");
    CHECK(buffer->pending_mark()->position == 77);
    CHECK(buffer->pending_mark()->lease_id == "lease");
    REQUIRE(buffer->confirmed());
    CHECK(!buffer->pending_mark());
    CHECK(rig.drain() == std::vector<std::string>{"threefour-----new"});
}

TEST_CASE("a crash between two sendings of a batch keeps the mark of the last one") {
    Rig rig;
    BatchBuffer* buffer = &rig.buffer(rig.spool());
    REQUIRE(buffer->push(batch_of("one"), 3));
    REQUIRE(buffer->wait(kNoDeadline) == Next::batch);
    REQUIRE(buffer->sending({"log", 10, "a"}));
    REQUIRE(buffer->sending({"log", 20, "b"}));
    rig.crash();
    buffer = &rig.buffer(rig.spool());
    REQUIRE(buffer->wait(kNoDeadline) == Next::batch);
    CHECK(buffer->pending_mark()->position == 20);
}

TEST_CASE("a full spool stops the reader, says so once, and takes more when there is room") {
    Rig rig;
    rig.options.memory = 1'000'000;
    rig.options.largest = 500'000;
    BatchBuffer& buffer = rig.buffer(rig.spool(2'500'000));
    const std::string text(400'000, 'x');
    std::atomic<int> pushed{0};
    std::jthread reader([&] {
        for (int i = 0; i < 40; ++i) {
            must(buffer.push(batch_of(text + static_cast<char>('A' + i)), 1));
            ++pushed;
        }
        buffer.end();
    });
    REQUIRE(eventually([&] { return rig.said().size() == 1; }));
    CHECK(pushed == 6);
    CHECK(rig.said()[0].find("is full") != std::string::npos);
    std::vector<std::string> wanted;
    for (int i = 0; i < 40; ++i) wanted.push_back(text + static_cast<char>('A' + i));
    CHECK((rig.drain() == wanted));
    CHECK(rig.said().size() == 1);
}

TEST_CASE("a spool that takes no more is reported again after it has taken everything for ten minutes") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer(rig.spool(30));
    for (std::size_t told : {1, 1, 2}) {
        if (told == 2) rig.clock.advance(std::chrono::minutes(10));
        REQUIRE(buffer.push(batch_of("one"), 1));
        REQUIRE(buffer.wait(kNoDeadline) == Next::batch);
        REQUIRE(buffer.confirmed());
        CHECK(rig.said().size() == told);
    }
}

TEST_CASE("a batch that fits into no spool goes from memory alone, before anything that comes after it") {
    Rig rig;
    BatchBuffer& buffer = rig.buffer(rig.spool(30));
    std::jthread reader([&] {
        for (const char* text : {"one", "two", "three"}) must(buffer.push(batch_of(text), 1));
        buffer.end();
    });
    CHECK(rig.drain() == std::vector<std::string>{"one", "two", "three"});
    CHECK(rig.said().size() == 1);
}

}  // namespace azlock::ops
