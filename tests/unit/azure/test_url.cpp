// azure/url: the parts of absolute URLs.
#include "azure/url.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

TEST_CASE("a URL is cut into origin, path and query, and nothing is decoded") {
    struct Case {
        const char* text;
        bool tls;
        const char* host;
        int port;
        const char* path;
        const char* query;
    };
    for (const Case& c : {
             Case{"https://acct.blob.core.windows.net", true, "acct.blob.core.windows.net", 443, "", ""},
             Case{"HTTPS://Acct.Blob.Core.Windows.Net/C/B", true, "acct.blob.core.windows.net", 443, "/C/B", ""},
             Case{"http://127.0.0.1:10000/dev/c/b", false, "127.0.0.1", 10000, "/dev/c/b", ""},
             Case{"http://[::1]:10000/dev", false, "::1", 10000, "/dev", ""},
             Case{"https://[2001:db8::1]/x", true, "2001:db8::1", 443, "/x", ""},
             Case{"http://localhost", false, "localhost", 80, "", ""},
             Case{"https://h/c/a%20b//%2541+?a=b&c=d%26", true, "h", 443, "/c/a%20b//%2541+", "a=b&c=d%26"},
             Case{"https://h?x=y/z", true, "h", 443, "", "x=y/z"},
             Case{"https://h/a?b?c", true, "h", 443, "/a", "b?c"},
             Case{"https://h:65535/", true, "h", 65535, "/", ""},
             Case{"https://h./x", true, "h.", 443, "/x", ""},
         }) {
        INFO(c.text);
        const auto url = parse_url(c.text);
        REQUIRE(url);
        CHECK(url->origin.tls == c.tls);
        CHECK(url->origin.host == c.host);
        CHECK(url->origin.port == c.port);
        CHECK(url->path == c.path);
        CHECK(url->query == c.query);
    }
}

TEST_CASE("what is no URL is an error that repeats nothing but the form") {
    for (const std::string text : {"",
                                   "MARKER",
                                   "ftp://MARKER/x",
                                   "https:/MARKER",
                                   "https://",
                                   "https:///MARKER",
                                   "https://MARKER@host/x",
                                   "https://user:MARKER@host/x",
                                   "https://host:MARKER/x",
                                   "https://host:/MARKER",
                                   "https://host:0/MARKER",
                                   "https://host:65536/MARKER",
                                   "https://host:-1/MARKER",
                                   "https://host:1:2/MARKER",
                                   "https://ho st/MARKER",
                                   "https://ho\nst/MARKER",
                                   "https://h%41/MARKER",
                                   "https://a..MARKER/",
                                   "https://.MARKER/",
                                   "https://[::1/MARKER",
                                   "https://[MARKER]/",
                                   "https://[127.0.0.1]/MARKER",
                                   "https://[::1]x/MARKER",
                                   "https://[::1]:/MARKER",
                                   "https://host/MARKER#x",
                                   "https://host/x?sig=MARKER#"}) {
        INFO(text);
        const auto url = parse_url(text);
        REQUIRE_FALSE(url);
        CHECK(url.error().code == ErrorCode::usage);
        CHECK(url.error().message.find("MARKER") == std::string::npos);
        CHECK(url.error().hint.find("MARKER") == std::string::npos);
    }
    CHECK_FALSE(parse_url("https://" + std::string(64, 'a') + "/x"));
    CHECK_FALSE(parse_url(std::string("https://a\0b/x", 13)));
}

TEST_CASE("query values are found by name in any case and stay encoded") {
    CHECK(query_value("a=1&SIG=x%2B&b", "sig") == "x%2B");
    CHECK(query_value("a=1&sig=x=y", "Sig") == "x=y");
    CHECK(query_value("a&sig", "sig") == "");
    CHECK_FALSE(query_value("asig=1&sign=2", "sig"));
    CHECK_FALSE(query_value("", "sig"));
}

TEST_CASE("addresses are told from names") {
    for (const char* address : {"127.0.0.1", "::1", "2001:db8::1", "0.0.0.0"}) CHECK(http::is_ip_address(address));
    for (const char* name : {"", "localhost", "127.0.0.1.example", "1.2.3", "[::1]", "127.0.0.1 "}) {
        CHECK_FALSE(http::is_ip_address(name));
    }
    using namespace std::string_view_literals;
    CHECK_FALSE(http::is_ip_address("127.0.0.1\0x"sv));
    CHECK_FALSE(http::is_ip_address("::1\0"sv));
}
