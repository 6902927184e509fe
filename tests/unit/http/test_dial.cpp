#include "http/dial.hpp"
#include "http/transport_error.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::http;

TEST_CASE("An IPv6 address is in brackets before its port") {
    CHECK(host_and_port("example.com", 443) == "example.com:443");
    CHECK(host_and_port("10.0.0.1", 80) == "10.0.0.1:80");
    CHECK(host_and_port("::1", 10000) == "[::1]:10000");
    CHECK(host_and_port("bad\nhost", 1) == "bad\\x0Ahost:1");
}

TEST_CASE("IP literals are resolved without asking anybody") {
    bool asked = false;
    const Resolver resolver = [&](const std::string&, std::uint16_t) {
        asked = true;
        return Result<std::vector<SocketAddress>>(fail(transport_error(TransportFault::resolve, "asked")));
    };
    const auto past = SystemClock().now() - std::chrono::seconds(1);
    for (const char* host : {"127.0.0.1", "::1"}) {
        std::stop_source stop;
        stop.request_stop();
        CHECK_FALSE(dial(host, 9, resolver, past, stop.get_token()));
    }
    CHECK_FALSE(asked);
    const auto named = dial("name.example", 9, resolver, SystemClock().after(std::chrono::seconds(10)), {});
    REQUIRE_FALSE(named);
    CHECK(asked);
    CHECK(named.error().message == "asked");
}

TEST_CASE("The errors of an attempt say what they are") {
    CHECK(stopped_error().code == ErrorCode::cancelled);
    CHECK(stopped_error().fault == TransportFault::none);
    CHECK(timeout_error("x").fault == TransportFault::timeout);
    CHECK(timeout_error("x").code == ErrorCode::unavailable);
    CHECK(timeout_error("x").retryable);
    CHECK_FALSE(timeout_error("x").may_have_applied);
}
