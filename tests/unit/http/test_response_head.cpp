#include "http/response_head.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::http;

TEST_CASE("A head is read up to its empty line") {
    const std::string raw =
        "HTTP/1.1 403 Not allowed\r\nx-ms-error-code: AuthenticationFailed\r\nEmpty:\r\nno colon\r\n"
        "Vary:  a \r\nvary: b\r\n\r\nrest";
    const auto head = parse_response_head(raw);
    REQUIRE(head);
    CHECK(head->status == 403);
    CHECK(head->headers.get("X-Ms-Error-Code") == "AuthenticationFailed");
    CHECK(head->headers.has("empty"));
    CHECK(head->headers.get("Vary") == "a, b");
    CHECK(raw.substr(head->size) == "rest");
    CHECK(parse_response_head("HTTP/1.0 200\r\n\r\n")->status == 200);
}

TEST_CASE("What is not a whole head of HTTP/1.x is refused") {
    for (const char* raw :
         {"", "\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/2 200 OK\r\n\r\n",
          "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
          "HTTP/1.x 200 OK\r\n\r\n", "HTTP/1.1\t200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "<html>\r\n\r\n"}) {
        INFO(raw);
        CHECK_FALSE(parse_response_head(raw));
        CHECK_FALSE(parse_raw_answer(raw, false));
    }
}

TEST_CASE("The body of a raw answer is delimited as its head says") {
    struct Case {
        const char* raw;
        const char* body;
        bool complete;
    };
    const Case cases[] = {
        {"HTTP/1.1 403 x\r\nContent-Length: 4\r\n\r\nbodyextra", "body", true},
        {"HTTP/1.1 403 x\r\nContent-Length: 9\r\n\r\nbody", "body", false},
        {"HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n", "", true},
        {"HTTP/1.1 403 x\r\n\r\nto the end", "to the end", true},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\n\r\n",
         "abc0123456789", true},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: Chunked\r\nContent-Length: 0\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", true},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "ab", false},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "abc", false},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n", "", false},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc", "", false},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\nabc", "abc", false},
        {"HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n", "", false},
        {"HTTP/1.1 204 x\r\nContent-Length: 4\r\n\r\nbody", "", true},
        {"HTTP/1.1 304 x\r\n\r\nbody", "", true},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 503 x\r\nContent-Length: 1\r\n\r\ny",
         "y", true},
    };
    for (const Case& c : cases) {
        INFO(c.raw);
        const auto answer = parse_raw_answer(c.raw, false);
        REQUIRE(answer);
        CHECK(answer->response.body == c.body);
        CHECK(answer->complete == c.complete);
    }
    CHECK_FALSE(parse_raw_answer("HTTP/1.1 100 Continue\r\n\r\n", false));
    CHECK(parse_raw_answer("HTTP/1.1 403 x\r\nContent-Length: 4\r\n\r\n", true)->complete);
}
