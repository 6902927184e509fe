#include "http/sendable.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::http;

TEST_CASE("Encoded targets and printable headers can be sent") {
    Request request;
    request.query = {{"comp", "block"}, {"prefix", "a b|\xc3\xa9"}};
    request.secret_query = Secret("sv=1&se=2030-01-01T00:00:00Z&sig=a%2Bb/c+d=");
    request.headers.set("x-ms-meta-a", "text\twith a tab, \xc3\xa9");
    request.headers.set("x-empty", "");
    for (const char* path : {"/", "/c/b", "/c//b", "/c/a%20b", "/$root/!*'(),;:@&=+~"}) {
        request.path = path;
        CHECK(check_sendable(request));
    }
}

TEST_CASE("A header that would break out of its line is refused by name") {
    for (const char* value : {"a\r\nb", "a\nb", "a\rb", "\x01", "\x7f"}) {
        Request request;
        request.headers.set("x-ms-meta-a", value);
        const auto status = check_sendable(request);
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::usage);
        CHECK(status.error().message.find("x-ms-meta-a") != std::string::npos);
    }
    Request request;
    request.headers.set("a\nb", "c");
    CHECK_FALSE(check_sendable(request));
}

TEST_CASE("A header without a name is refused as such") {
    Request request;
    request.headers.set("", "c");
    const auto status = check_sendable(request);
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::usage);
    CHECK(status.error().message == "a header has no name");
}

TEST_CASE("A target that is not the path and query of a URL is refused, its secret unseen") {
    for (const char* path :
         {"", "c", "//c/b", "/a b", "/a|b", "/\xc3\xa9", "/a#b", "/a[b]", "/a\nb", "/\"", "/<>", "/\\"}) {
        INFO(path);
        Request request;
        request.path = path;
        request.secret_query = Secret("sv=1&sig=verysecret");
        const auto status = check_sendable(request);
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::usage);
        CHECK(status.error().message.find("verysecret") == std::string::npos);
    }
    Request request;
    request.secret_query = Secret("sv=1&sig=very secret");
    const auto status = check_sendable(request);
    REQUIRE_FALSE(status);
    CHECK(status.error().message.find("very") == std::string::npos);
}
