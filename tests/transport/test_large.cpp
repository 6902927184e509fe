// Large bodies: sent whole and unchanged, with little memory.
#include <cstring>
#include <fstream>

#include "base/text.hpp"
#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

// What an attempt may add to the resident size. Sanitizers keep freed memory for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kAllowedKib = 200 * 1024;
#else
constexpr std::uint64_t kAllowedKib = 16 * 1024;
#endif

// The largest resident size since the last reset, in KiB.
std::uint64_t peak_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("VmHWM:")) continue;
        const std::string_view digits = trim(std::string_view(line).substr(6));
        return parse_u64(digits.substr(0, digits.find(' '))).value_or(0);
    }
    return 0;
}

void reset_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

void check_and_answer(Wire& wire) {
    std::vector<char> expected(1024 * 1024);
    while (auto request = wire.read_head()) {
        const std::uint64_t size = request->content_length();
        bool right = true;
        for (std::uint64_t done = 0; done < size;) {
            const std::string part = wire.read_body(std::min<std::uint64_t>(expected.size(), size - done));
            if (part.empty()) return;
            PatternBody::fill(done, std::as_writable_bytes(std::span(expected).first(part.size())));
            right = right && std::memcmp(part.data(), expected.data(), part.size()) == 0;
            done += part.size();
        }
        wire.answer(right ? 201 : 400);
    }
}

}  // namespace

TEST_CASE("A body of 1 GiB is sent without being held in memory") {
    Stage stage(check_and_answer, plain_or_tls());
    REQUIRE(stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(1'000'000))));
    reset_peak();
    const std::uint64_t before = peak_kib();
    const auto answer =
        stage.send(put_of(stage.server.origin(), std::make_shared<PatternBody>(1ULL << 30)), std::chrono::seconds(120));
    const std::uint64_t growth = peak_kib() - before;
    REQUIRE(answer);
    CHECK(answer->status == 201);
    INFO("KiB: " << growth);
    CHECK(growth < kAllowedKib);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("An answer of 256 MiB goes into a sink without being held in memory") {
    struct Checking final : http::BodySink {
        bool begin(const http::Response&) override { return true; }
        Status write(ByteView data) override {
            expected.resize(data.size());
            PatternBody::fill(seen, expected);
            right = right && std::memcmp(data.data(), expected.data(), data.size()) == 0;
            seen += data.size();
            return {};
        }
        std::vector<std::byte> expected;
        std::uint64_t seen = 0;
        bool right = true;
    };
    constexpr std::uint64_t kSize = 256 << 20;
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n");
            std::string part(1 << 20, '\0');
            for (std::uint64_t done = 0; done < kSize; done += part.size()) {
                PatternBody::fill(done, std::as_writable_bytes(std::span(part)));
                wire.send(part);
            }
        },
        plain_or_tls());
    Checking sink;
    http::Request request = stage.request(Method::get);
    request.sink = &sink;
    reset_peak();
    const std::uint64_t before = peak_kib();
    REQUIRE(stage.send(request, std::chrono::seconds(120)));
    CHECK(sink.seen == kSize);
    CHECK(sink.right);
    CHECK(peak_kib() - before < kAllowedKib);
}
