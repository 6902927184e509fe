// However the input comes in, the output is the same: unchanged bytes, whole lines, a stamp at the start of each line.
#include <random>

#include "ops/append/input/batch_cutter.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

const WallTime kNow{std::chrono::seconds(1'700'000'000)};

struct Out {
    std::string text;
    std::vector<std::string> batches;
    std::uint64_t lines = 0;
    std::uint64_t source_end = 0;
    std::uint64_t split_lines = 0;
};

void take(BatchCutter& cutter, Out& out) {
    while (const auto batch = cutter.take()) {
        REQUIRE(!batch->bytes.empty());
        out.batches.emplace_back(reinterpret_cast<const char*>(batch->bytes.data()), batch->bytes.size());
        out.text += out.batches.back();
        out.lines += batch->lines;
        CHECK(batch->source_end >= out.source_end);
        out.source_end = batch->source_end;
    }
}

// Feeds the input in pieces of the lengths that `piece` gives. After each piece, flushes if `flush` returns true.
template <typename Piece, typename Flush>
Out cut(const CutOptions& options, std::uint64_t target, std::string_view input, Piece piece, Flush flush) {
    BatchCutter cutter(options);
    cutter.set_target(target);
    Out out;
    while (!input.empty()) {
        const std::string_view now = input.substr(0, piece());
        input.remove_prefix(now.size());
        for (ByteView rest = as_bytes(now); !rest.empty() || cutter.ready();) {
            rest = rest.subspan(cutter.feed(rest, kNow));
            if (cutter.ready()) take(cutter, out);
        }
        if (flush()) take(cutter, out);
    }
    cutter.end_input();
    take(cutter, out);
    CHECK(cutter.held() == 0);
    out.split_lines = cutter.split_lines();
    return out;
}

Out cut_whole(const CutOptions& options, std::uint64_t target, std::string_view input) {
    return cut(
        options, target, input, [] { return std::size_t{1000}; }, [] { return false; });
}

CutOptions by_lines(std::uint64_t largest = 8192) {
    CutOptions options;
    options.lines = true;
    options.largest = largest;
    return options;
}

}  // namespace

TEST_CASE("without lines every batch but the last has just the size that was asked for") {
    const Out out = cut_whole({}, 4, "abcdefghij");
    CHECK(out.batches == std::vector<std::string>{"abcd", "efgh", "ij"});
    CHECK(out.source_end == 10);
}

TEST_CASE("a line is never split over two batches") {
    const Out out = cut_whole(by_lines(), 6, "one\ntwo\nthree four\n5\n");
    CHECK(out.batches == std::vector<std::string>{"one\ntwo\n", "three four\n", "5\n"});
    CHECK(out.lines == 4);
    CHECK(out.source_end == 21);
}

TEST_CASE("a flush sends whole lines only, and what has begun waits for its end") {
    BatchCutter cutter(by_lines());
    cutter.set_target(100);
    CHECK(cutter.feed(as_bytes("whole\nbegun"), kNow) == 11);
    Out out;
    take(cutter, out);
    CHECK(out.batches == std::vector<std::string>{"whole\n"});
    CHECK(out.source_end == 6);
    CHECK(!cutter.sendable());
    CHECK(cutter.feed(as_bytes(" and ended\n"), kNow) == 11);
    take(cutter, out);
    CHECK(out.batches.back() == "begun and ended\n");
    CHECK(out.source_end == 22);
}

TEST_CASE("a last line without newline is sent as it is, and completed on request") {
    CHECK(cut_whole(by_lines(), 100, "a\nb").text == "a\nb");
    CutOptions options = by_lines();
    options.complete_last = true;
    const Out out = cut_whole(options, 100, "a\nb");
    CHECK(out.text == "a\nb\n");
    CHECK(out.lines == 2);
    CHECK(out.source_end == 3);
    CHECK(cut_whole(options, 100, "a\nb\n").text == "a\nb\n");
    CHECK(cut_whole(options, 100, "").text == "");
    options.lines = false;
    CHECK(cut_whole(options, 100, "a\nb").text == "a\nb\n");
    CHECK(cut_whole(options, 3, "a\nb").text == "a\nb\n");
}

TEST_CASE("the last line of each file of several is completed on request") {
    CutOptions options = by_lines();
    for (const bool complete : {false, true}) {
        options.complete_last = complete;
        BatchCutter cutter(options);
        cutter.set_target(100);
        CHECK(cutter.feed(as_bytes("old"), kNow) == 3);
        cutter.end_file();
        CHECK(cutter.feed(as_bytes("new\n"), kNow) == 4);
        Out out;
        take(cutter, out);
        CHECK(out.text == (complete ? "old\nnew\n" : "oldnew\n"));
    }
}

TEST_CASE("a line longer than a batch is split, counted once, and those around it stay whole") {
    const std::string giant(25'000, 'x');
    const Out out = cut_whole(by_lines(), 100, "before\n" + giant + "\nafter\n");
    CHECK(out.text == "before\n" + giant + "\nafter\n");
    CHECK(out.split_lines == 1);
    CHECK(out.lines == 3);
    CHECK(out.batches.front() == "before\n");
    CHECK(out.batches.back() == "after\n");
    for (const std::string& batch : out.batches) CHECK(batch.size() <= 8192);
}

TEST_CASE("every line gets its stamp once, also one that is split") {
    CutOptions options = by_lines();
    options.stamp = *LineStamp::make({true, "", "web1: "});
    const std::string stamp = "2023-11-14T22:13:20.000000Z web1: ";
    CHECK(cut_whole(options, 10, "a\n\nb").text == stamp + "a\n" + stamp + "\n" + stamp + "b");
    const std::string giant(20'000, 'x');
    CHECK(cut_whole(options, 10, giant + "\nb\n").text == stamp + giant + "\n" + stamp + "b\n");
}

TEST_CASE("bytes of the input are counted, not those of the output") {
    CutOptions options = by_lines();
    options.stamp = *LineStamp::make({true, "", ""});
    options.input_offset = 1000;
    CHECK(cut_whole(options, 10, "a\nbc\n").source_end == 1005);
}

TEST_CASE("no way of cutting or flushing changes a byte, splits a line or makes a batch too large") {
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return random() % n; };
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        std::string input;
        for (std::size_t n = below(60); n > 0; --n) {
            // Any byte, NUL and invalid UTF-8 among them; newlines often; now and then a long line.
            const std::size_t length = below(40) == 0 ? below(20'000) : below(30);
            for (std::size_t i = 0; i < length; ++i) input += static_cast<char>(below(256));
            if (below(4) != 0) input += '\n';
        }
        CutOptions options;
        options.lines = below(2) == 0;
        options.complete_last = below(2) == 0;
        options.largest = 4096 + below(8192);
        if (options.lines && below(2) == 0) options.stamp = *LineStamp::make({true, "%S", "p:"});
        const std::uint64_t target = 1 + below(6000);
        const Out out = cut(
            options, target, input, [&] { return 1 + below(300); }, [&] { return below(10) == 0; });
        std::string wanted;
        bool start = true;
        for (const char c : input) {
            if (start && options.stamp) wanted += "20 p:";
            wanted += c;
            start = c == '\n';
        }
        if (options.complete_last && !start) wanted += '\n';
        REQUIRE(out.text == wanted);
        CHECK(out.source_end == input.size());
        CHECK(out.lines == static_cast<std::uint64_t>(std::count(wanted.begin(), wanted.end(), '\n')));
        for (std::size_t i = 0; i + 1 < out.batches.size(); ++i) {
            REQUIRE(out.batches[i].size() <= options.largest);
            if (options.lines && out.split_lines == 0) REQUIRE(out.batches[i].back() == '\n');
        }
    }
}

TEST_CASE("a time before each line is in UTC with microseconds, or as a format says") {
    const WallTime time = kNow + std::chrono::microseconds(1234);
    CHECK(LineStamp::make({true, "", ""})->at(time) == "2023-11-14T22:13:20.001234Z ");
    CHECK(LineStamp::make({true, "%H:%M", "> "})->at(time) == "22:13 > ");
    CHECK(LineStamp::make({false, "", "> "})->at(time) == "> ");
    for (const char* format : {"%n", "a\nb"}) {
        CAPTURE(format);
        const auto stamp = LineStamp::make({true, format, ""});
        REQUIRE(!stamp);
        CHECK(stamp.error().code == ErrorCode::usage);
    }
    CHECK(!LineStamp::make({false, "", "a\nb"}));
    CHECK(!LineStamp::make({false, "", std::string(2000, 'x')}));
}

}  // namespace azlock::ops
