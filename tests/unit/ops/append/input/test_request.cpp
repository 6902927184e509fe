// What a user says about the input of an append: where it comes from, and what does not go together.
#include <sys/stat.h>

#include "ops/append/input/request.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

// The message of the refusal; empty if there is none.
std::string refusal(const AppendInputRequest& request) {
    const auto made = make_append_input(request);
    if (made) return {};
    CHECK(made.error().code == ErrorCode::usage);
    return made.error().message;
}

}  // namespace

TEST_CASE("a --max-size of nothing is refused by its own name", "[append]") {
    AppendRequest request;
    request.options.send.max_size = 0;
    const auto run = prepare_append(request, {});
    REQUIRE(!run);
    CHECK(run.error().code == ErrorCode::usage);
    CHECK(run.error().message.find("--max-size") == 0);
}

TEST_CASE("an append has one source: standard input, a file, or a command") {
    AppendInputRequest request;
    CHECK(refusal(request).empty());
    CHECK(request.endless());
    request.file = "-";
    CHECK(refusal(request).empty());
    CHECK(request.endless());
    request.exec = true;
    CHECK(refusal(request) == "--exec: a command is needed");
    request.command = {"true"};
    CHECK(refusal(request) == "--exec: the command gives the input, not a file");
    request.file.clear();
    CHECK(refusal(request).empty());
    CHECK(request.endless());
    request.follow = true;
    CHECK(refusal(request) == "--follow is for files, not for --exec");
}

TEST_CASE("only a file can be followed or resumed, and a file has an end unless it is followed") {
    AppendInputRequest request;
    request.resume = true;
    CHECK(refusal(request) == "--resume needs a FILE: only that can be read again");
    request.file = "job.log";
    CHECK(refusal(request).empty());
    CHECK(!request.endless());
    request.follow = true;
    CHECK(refusal(request) == "--resume is for a whole file and does not go with --follow");
    request.resume = false;
    CHECK(refusal(request).empty());
    CHECK(request.endless());
    request.file = "-";
    CHECK(refusal(request) == "--follow needs a FILE: standard input has an end");
}

TEST_CASE("a block is not larger than the blob may get") {
    AppendInputRequest request;
    CHECK(make_append_input(request)->max_block == std::uint64_t{100} << 20U);
    request.max_size = 1000;
    const auto made = make_append_input(request);
    CHECK(made->max_block == 1000);
    CHECK(made->buffer.pace.batch_size == 1000);
    request.batch_size = 1001;
    CHECK(refusal(request).find("--batch-size: one block holds at most ") == 0);
}

TEST_CASE("a file that has an end is opened as a whole") {
    const test::TempDir dir;
    AppendInputRequest request;
    request.file = dir.write("job.log", "content");
    SECTION("its length is known") {
        const auto source = make_append_source(request);
        CHECK(source->file == request.file);
        REQUIRE(source->whole);
        CHECK(source->whole->size() == 7);
    }
    SECTION("one that is followed has none") {
        request.follow = true;
        request.follow_from = "end";
        const auto source = make_append_source(request);
        CHECK(source->from_end);
        CHECK(!source->whole);
    }
    SECTION("a named pipe has none, so it cannot be resumed") {
        request.file = dir.file("pipe");
        REQUIRE(::mkfifo(request.file.c_str(), 0600) == 0);
        CHECK(!make_append_source(request)->whole);
        request.resume = true;
        CHECK(make_append_source(request).error().code == ErrorCode::usage);
    }
    SECTION("one that is missing is an error") {
        request.file = dir.file("none");
        CHECK(make_append_source(request).error().code == ErrorCode::input_missing);
    }
    SECTION("standard input and a command need no file") {
        request.file = "-";
        CHECK(make_append_source(request)->file.empty());
        request.exec = true;
        request.command = {"true"};
        CHECK(make_append_source(request)->command == request.command);
    }
}

TEST_CASE("what the writer is asked for counts for the input, too") {
    const test::TempDir dir;
    AppendRequest request;
    AppendInputRequest input;
    SECTION("a pipe goes on without end in an outage, a file for five minutes") {
        CHECK(!prepare_append(request, input)->appender.retry.retry_for);
        input.file = dir.write("job.log", "content");
        CHECK(prepare_append(request, input)->appender.retry.retry_for == kRetryFiles);
    }
    SECTION("no block is larger than the blob may get") {
        request.options.send.max_size = 1000;
        CHECK(prepare_append(request, input)->input.max_block == 1000);
    }
    SECTION("what is resumed must be a file") {
        request.resume = true;
        CHECK(prepare_append(request, input).error().code == ErrorCode::usage);
        input.file = dir.write("job.log", "content");
        const auto run = prepare_append(request, input);
        REQUIRE(run);
        CHECK(run->source.resume);
        CHECK(run->source.whole->size() == 7);
        CHECK(run->appender.send.lease == AppendLease::exclusive);
    }
    SECTION("the time to stop") {
        request.shutdown_timeout = std::chrono::seconds(3);
        CHECK(prepare_append(request, input)->time_to_stop == std::chrono::seconds(3));
    }
    SECTION("each of the three may refuse") {
        request.no_lease = request.exclusive = true;
        CHECK(prepare_append(request, input).error().code == ErrorCode::usage);
        request.no_lease = false;
        input.follow = true;
        CHECK(prepare_append(request, input).error().code == ErrorCode::usage);
        input.follow = false;
        input.file = dir.file("none");
        CHECK(prepare_append(request, input).error().code == ErrorCode::input_missing);
    }
}

}  // namespace azlock::ops
