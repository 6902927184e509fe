#include "http/proxy.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::http;

TEST_CASE("A proxy URL gives host, port and authorization") {
    const auto plain = parse_proxy("http://proxy.example:3128/", "HTTP_PROXY");
    REQUIRE(plain);
    CHECK(plain->host == "proxy.example");
    CHECK(plain->port == 3128);
    CHECK(plain->authorization.empty());

    const auto bare = parse_proxy(" proxy.example ", "HTTP_PROXY");
    REQUIRE(bare);
    CHECK(bare->host == "proxy.example");
    CHECK(bare->port == 1080);

    const auto user = parse_proxy("HTTP://us%20er:p%40ss@[::1]:8080", "HTTP_PROXY");
    REQUIRE(user);
    CHECK(user->host == "::1");
    CHECK(user->port == 8080);
    CHECK(user->authorization.reveal() == "Basic dXMgZXI6cEBzcw==");
}

TEST_CASE("A password may hold an at sign as it is") {
    const auto proxy = parse_proxy("http://user:p@ss@proxy:1", "HTTP_PROXY");
    REQUIRE(proxy);
    CHECK(proxy->host == "proxy");
    CHECK(proxy->authorization.reveal() == "Basic dXNlcjpwQHNz");
}

TEST_CASE("A proxy URL that cannot be used is refused and not repeated") {
    for (const char* url : {"https://u:secret@proxy", "socks5://u:secret@proxy:1080", "http://u:secret@",
                            "http://u:secret@:80", "http://u:secret@proxy:0", "http://u:secret@proxy:65536",
                            "http://u:secret@proxy:", "http://u:secret@proxy:80x", "http://u:secret@[::1",
                            "http://u:secret@[::1]x", "http://u%:secret@proxy", "http://", "ftp://x"}) {
        INFO(url);
        const auto proxy = parse_proxy(url, "HTTPS_PROXY");
        REQUIRE_FALSE(proxy);
        CHECK(proxy.error().code == ErrorCode::config);
        CHECK(proxy.error().message.starts_with("HTTPS_PROXY: "));
        CHECK(proxy.error().message.find("secret") == std::string::npos);
    }
}

TEST_CASE("NO_PROXY follows curl's rules") {
    struct Case {
        const char* list;
        const char* host;
        bool direct;
    };
    const Case cases[] = {
        {"", "example.com", false},
        {"*", "example.com", true},
        {" * ", "10.0.0.1", true},
        {"*,other", "example.com", false},
        {"example.com", "example.com", true},
        {"example.com", "EXAMPLE.com", true},
        {"example.com", "www.example.com", true},
        {"example.com", "notexample.com", false},
        {"example.com", "example.com.evil", false},
        {".example.com", "example.com", true},
        {".example.com", "a.b.example.com", true},
        {"example.com.", "example.com", true},
        {"example.com", "example.com.", true},
        {"a.com, example.com\tb.com", "b.com", true},
        {"a.com example.com", "example.com", true},
        {",,", "example.com", false},
        {".", "example.com", false},
        {"*.example.com", "www.example.com", false},
        {"127.0.0.1", "127.0.0.1", true},
        {"0.0.1", "127.0.0.1", false},
        {"10.0.0.0/8", "10.255.3.4", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"192.168.4.0/22", "192.168.7.255", true},
        {"192.168.4.0/22", "192.168.8.0", false},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"10.0.0.0/33", "10.0.0.0", false},
        {"10.0.0.0/x", "10.0.0.0", false},
        {"::1", "::1", true},
        {"[::1]", "::1", true},
        {"0:0::1", "::1", true},
        {"fe80::/10", "fe80::1:2", true},
        {"fe80::/10", "fec0::1", false},
        {"10.0.0.0/8", "::1", false},
        {"example.com:443", "example.com", true},
        {"example.com:80", "example.com", false},
        {"[::1]:443", "::1", true},
        {"[::1]:80", "::1", false},
        {"127.0.0.1:443", "127.0.0.1", true},
        {"localhost:bad", "localhost", false},
    };
    for (const Case& c : cases) {
        INFO(c.list << " | " << c.host);
        CHECK(no_proxy_matches(c.list, c.host, 443) == c.direct);
    }
}

TEST_CASE("Each scheme has its own proxy, and NO_PROXY is for both") {
    const auto rules = ProxyRules::make({"http://secure:1", "http://plain:2", "direct.example"});
    REQUIRE(rules);
    CHECK(rules->find({true, "example.com", 443})->host == "secure");
    CHECK(rules->find({false, "example.com", 80})->host == "plain");
    CHECK(rules->find({true, "direct.example", 443}) == nullptr);
    CHECK(rules->find({false, "direct.example", 80}) == nullptr);

    const auto one = ProxyRules::make({"", " ", ""});
    REQUIRE(one);
    CHECK(one->find({true, "example.com", 443}) == nullptr);
    CHECK(one->find({false, "example.com", 80}) == nullptr);
    CHECK_FALSE(ProxyRules::make({"", "socks4://x", ""}));
}
