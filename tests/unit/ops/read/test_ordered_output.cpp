// Pieces from many threads come out in their order, and no thread waits for ever.
#include <thread>

#include "ops/read/ordered_output.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("pieces that are delivered in any order are written in theirs") {
    std::string written;
    OrderedOutput output([&](const std::string& piece) -> Status {
        written += piece;
        return {};
    });
    std::vector<Status> results(4);
    {
        std::vector<std::jthread> threads;
        for (const std::size_t number : {3U, 1U, 2U}) {
            threads.emplace_back([&, number] { results[number] = output.deliver(number, std::to_string(number), {}); });
        }
        results[0] = output.deliver(0, "0", {});
    }
    CHECK(written == "0123");
    for (const Status& result : results) CHECK(result);
}

TEST_CASE("an error of the writer is the result, and the piece is not counted as written") {
    int calls = 0;
    OrderedOutput output([&](const std::string&) -> Status {
        if (++calls == 1) return fail(ErrorCode::io, "disk full");
        return {};
    });
    const auto refused = output.deliver(0, "a", {});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::io);
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(!output.deliver(1, "b", stopped.get_token()));  // still waits for piece 0
    CHECK(calls == 1);
}

TEST_CASE("a stop request ends the wait for a piece that never comes") {
    OrderedOutput output([](const std::string&) -> Status { return {}; });
    std::stop_source stop;
    Status result;
    {
        const std::jthread waiting([&] { result = output.deliver(1, "late", stop.get_token()); });
        stop.request_stop();
    }
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::cancelled);
}

}  // namespace azlock::ops
