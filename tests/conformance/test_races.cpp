// If many want the same thing at the same time, exactly one gets it.
#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

constexpr int kRacers = 8;

// The outcomes of `race(n)`, run by all racers at once.
std::vector<std::string> outcomes(const std::function<http::Response(int)>& race) {
    std::vector<std::string> out(kRacers);
    std::atomic<int> ready = 0;
    {
        std::vector<std::jthread> racers;
        for (int n = 0; n < kRacers; ++n) {
            racers.emplace_back([&, n] {
                ++ready;
                while (ready < kRacers) std::this_thread::yield();
                try {
                    out[static_cast<std::size_t>(n)] = outcome(race(n));
                } catch (const std::exception& error) {
                    out[static_cast<std::size_t>(n)] = error.what();
                }
            });
        }
    }
    return out;
}

// One winner with the first outcome, the rest with the second.
void check_one_winner(const std::vector<std::string>& got, const std::string& won, const std::string& lost) {
    CAPTURE(got);
    CHECK(std::count(got.begin(), got.end(), won) == 1);
    CHECK(std::count(got.begin(), got.end(), lost) == kRacers - 1);
}

}  // namespace

TEST_CASE("one of many creates a blob that was not there") {
    const Box box;
    check_one_winner(outcomes([&](int n) {
                         return put_blob(box / "a", std::to_string(n), {{"If-None-Match", "*"}});
                     }),
                     "201 ", "409 BlobAlreadyExists");
}

TEST_CASE("one of many replaces the version that all of them saw") {
    const Box box;
    const std::string etag = header(put_blob(box / "a", "x"), "ETag");
    check_one_winner(outcomes([&](int n) {
                         return put_blob(box / "a", std::to_string(n), {{"If-Match", etag}});
                     }),
                     "201 ", "412 ConditionNotMet");
}

TEST_CASE("one of many acquires a lease") {
    const Box box;
    put_blob(box / "a", "x");
    check_one_winner(
        outcomes([&](int n) { return acquire(box / "a", "aaaaaaaa-1111-2222-3333-44444444444" + std::to_string(n)); }),
        "201 ", "409 LeaseAlreadyPresent");
}

TEST_CASE("one of many appends at a position, and unguarded appends are all there") {
    const Box box;
    put_append_blob(box / "log");
    check_one_winner(outcomes([&](int) {
                         return append(box / "log", "12345", {{"x-ms-blob-condition-appendpos", "0"}});
                     }),
                     "201 ", "412 AppendPositionConditionNotMet");
    outcomes([&](int) { return append(box / "log", "12345"); });
    CHECK(header(head(box / "log"), "Content-Length") == std::to_string(5 * (kRacers + 1)));
}

}  // namespace azlock::conformance
