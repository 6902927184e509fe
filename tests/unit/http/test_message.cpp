// http/message: header fields, targets as they go onto the wire and into the log, origins and bodies.
#include <array>
#include <string>

#include "http/message.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::http;

TEST_CASE("methods have their names on the wire") {
    CHECK(to_string(Method::get) == "GET");
    CHECK(to_string(Method::head) == "HEAD");
    CHECK(to_string(Method::put) == "PUT");
    CHECK(to_string(Method::post) == "POST");
    CHECK(to_string(Method::del) == "DELETE");
}

TEST_CASE("header names compare without regard to case and occur once, in the order they were set") {
    Headers headers;
    headers.set("x-ms-Date", "one");
    headers.set("Content-Type", "text/plain");
    headers.set("X-MS-DATE", "two");
    CHECK(headers.size() == 2);
    CHECK(headers.get("x-ms-date") == "two");
    CHECK(*headers.find("CONTENT-TYPE") == "text/plain");
    CHECK(headers.has("content-type"));
    CHECK(headers.begin()->first == "x-ms-Date");
    CHECK((headers.begin() + 1)->first == "Content-Type");
}

TEST_CASE("an absent field is told from an empty one") {
    Headers headers;
    headers.set("x-ms-meta-empty", "");
    CHECK(headers.has("x-ms-meta-empty"));
    CHECK(headers.get("x-ms-meta-empty").empty());
    CHECK_FALSE(headers.has("x-ms-meta"));
    CHECK(headers.find("other") == nullptr);
    CHECK(headers.get("other").empty());
}

TEST_CASE("a removed field is gone, and removing nothing changes nothing") {
    Headers headers;
    headers.set("A", "1");
    headers.set("B", "2");
    headers.remove("a");
    headers.remove("c");
    CHECK(headers.size() == 1);
    CHECK_FALSE(headers.has("A"));
    CHECK(headers.get("b") == "2");
}

TEST_CASE("the query is percent-encoded, so that Base64 block ids and names survive") {
    Request request;
    request.path = "/c1/a%20b%2Bc";
    CHECK(request.wire_target() == "/c1/a%20b%2Bc");
    request.query = {{"comp", "block"}, {"blockid", "MDAw+/8="}};
    CHECK(request.wire_target() == "/c1/a%20b%2Bc?comp=block&blockid=MDAw%2B%2F8%3D");
    request.query = {{"prefix", "logs/a b&c=d#e%41"},
                     {"include", "metadata,uncommittedblobs"},
                     {"empty", ""},
                     {"\xC3\xA9", "\xC3\xA9"}};
    CHECK(
        request.wire_target() ==
        "/c1/a%20b%2Bc?prefix=logs%2Fa%20b%26c%3Dd%23e%2541&include=metadata%2Cuncommittedblobs&empty=&%C3%A9=%C3%A9");
}

TEST_CASE("a SAS goes onto the wire as it was given, with '?' or '&' as needed") {
    Request request;
    request.path = "/c1/b";
    request.secret_query = Secret("sv=2023-11-03&sp=rw&sig=a%2Bb%3D");
    CHECK(request.wire_target() == "/c1/b?sv=2023-11-03&sp=rw&sig=a%2Bb%3D");
    request.query = {{"comp", "lease"}};
    CHECK(request.wire_target() == "/c1/b?comp=lease&sv=2023-11-03&sp=rw&sig=a%2Bb%3D");
}

TEST_CASE("the target for logs shows everything but the signature") {
    Request request;
    request.path = "/c1/design=1";
    request.query = {{"comp", "lease"}};
    CHECK(request.loggable_target() == "/c1/design=1?comp=lease");
    for (const char* sas :
         {"sv=2023&sp=rw&sig=topsecret", "sig=topsecret&sv=2023", "SIG=topsecret", "sv=1&Sig=topsecret%3D"}) {
        request.secret_query = Secret(sas);
        INFO(sas);
        CHECK(request.loggable_target().find("topsecret") == std::string::npos);
        CHECK(request.loggable_target().find("REDACTED") != std::string::npos);
        CHECK(request.wire_target().find("topsecret") != std::string::npos);
    }
    request.secret_query = Secret("sv=2023&sp=rw&sig=topsecret");
    CHECK(request.loggable_target() == "/c1/design=1?comp=lease&sv=2023&sp=rw&sig=REDACTED");
}

TEST_CASE("an origin names its port only where it is not the scheme's own, and brackets IPv6") {
    struct Case {
        Origin origin;
        const char* text;
        const char* authority;
    };
    const Case cases[] = {
        {{true, "me.blob.test", 443}, "https://me.blob.test", "me.blob.test"},
        {{false, "me.blob.test", 80}, "http://me.blob.test", "me.blob.test"},
        {{true, "me.blob.test", 80}, "https://me.blob.test:80", "me.blob.test:80"},
        {{false, "me.blob.test", 443}, "http://me.blob.test:443", "me.blob.test:443"},
        {{false, "127.0.0.1", 10000}, "http://127.0.0.1:10000", "127.0.0.1:10000"},
        {{false, "::1", 10000}, "http://[::1]:10000", "[::1]:10000"},
        {{true, "2001:db8::7", 443}, "https://[2001:db8::7]", "[2001:db8::7]"},
    };
    for (const Case& c : cases) {
        CHECK(c.origin.to_string() == c.text);
        CHECK(c.origin.authority() == c.authority);
    }
    CHECK(Origin{true, "a", 443} == Origin{true, "a", 443});
    CHECK_FALSE(Origin{true, "a", 443} == Origin{false, "a", 443});
}

TEST_CASE("a body can be read again from any position and is short only at its end") {
    const auto body = make_body("0123456789");
    CHECK(body->size() == 10);
    std::array<std::byte, 4> buffer{};
    for (int again = 0; again < 2; ++again) {
        CHECK(body->read_at(0, buffer).value() == 4);
        CHECK(buffer[3] == std::byte{'3'});
        CHECK(body->read_at(8, buffer).value() == 2);
        CHECK(buffer[1] == std::byte{'9'});
        CHECK(body->read_at(10, buffer).value() == 0);
        CHECK(body->read_at(~std::uint64_t{0}, buffer).value() == 0);
        CHECK(body->read_at(3, {}).value() == 0);
    }
    CHECK(make_body("")->read_at(0, buffer).value() == 0);
}

TEST_CASE("the content length is the body's, or 0 without one") {
    Request request;
    CHECK(request.content_length() == 0);
    request.body = make_body("abc");
    CHECK(request.content_length() == 3);
}
