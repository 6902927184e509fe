// Append Block and Append Blob Seal.
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

http::Response seal(const std::string& path, const Fields& headers = {}) {
    return service().put({.path = path, .query = {{"comp", "seal"}}, .headers = headers});
}

}  // namespace

TEST_CASE("appends tell where they landed, how many there are, and change the ETag") {
    const Box box;
    const std::string created = header(put_append_blob(box / "log"), "ETag");
    const auto first = append(box / "log", "one\n");
    REQUIRE(outcome(first) == "201 ");
    CHECK(header(first, "x-ms-blob-append-offset") == "0");
    CHECK(header(first, "x-ms-blob-committed-block-count") == "1");
    CHECK(header(first, "ETag") != created);
    const auto second = append(box / "log", "two\n");
    CHECK(header(second, "x-ms-blob-append-offset") == "4");
    const auto read = get(box / "log");
    CHECK(read.body == "one\ntwo\n");
    CHECK(header(read, "ETag") == header(second, "ETag"));
    CHECK(header(read, "x-ms-blob-committed-block-count") == "2");
}

TEST_CASE("an append position or maximum size that is not met refuses the append") {
    const Box box;
    put_append_blob(box / "log");
    append(box / "log", "12345");
    const std::string log = box / "log";
    CHECK(outcome(append(log, "x", {{"x-ms-blob-condition-appendpos", "4"}})) == "412 AppendPositionConditionNotMet");
    CHECK(outcome(append(log, "x", {{"x-ms-blob-condition-maxsize", "5"}})) == "412 MaxBlobSizeConditionNotMet");
    CHECK(get(log).body == "12345");
    CHECK(outcome(append(log, "6", {{"x-ms-blob-condition-appendpos", "5"}, {"x-ms-blob-condition-maxsize", "6"}})) ==
          "201 ");
    CHECK(outcome(append(log, "6", {{"x-ms-blob-condition-appendpos", "5"}})) == "412 AppendPositionConditionNotMet");
    CHECK(get(log).body == "123456");
}

TEST_CASE("an append needs bytes, an existing blob and an append blob") {
    const Box box;
    put_blob(box / "data", "x");
    put_append_blob(box / "log");
    CHECK(outcome(append(box / "none", "x")) == "404 BlobNotFound");
    CHECK(outcome(append(box / "data", "x")) == "409 InvalidBlobType");
    CHECK(append(box / "log", "").status == 400);
}

TEST_CASE("creating an append blob again truncates it unless it is guarded") {
    const Box box;
    put_append_blob(box / "log");
    append(box / "log", "x");
    CHECK(outcome(put_append_blob(box / "log", {{"If-None-Match", "*"}})) == "409 BlobAlreadyExists");
    CHECK(get(box / "log").body == "x");
    CHECK(outcome(put_append_blob(box / "log")) == "201 ");
    CHECK(get(box / "log").body.empty());
}

TEST_CASE("a sealed blob takes no more appends, and sealing it again is fine") {
    const Box box;
    put_append_blob(box / "log");
    append(box / "log", "x");
    CHECK(outcome(seal(box / "log", {{"x-ms-blob-condition-appendpos", "0"}})) ==
          rule("412 AppendPositionConditionNotMet", "200 ", "Append-Blob-Seal"));
    const std::string before = etag_of(box / "log");
    const auto sealed = seal(box / "log");
    REQUIRE(outcome(sealed) == "200 ");
    CHECK(header(sealed, "x-ms-blob-sealed") == "true");
    CHECK(outcome(append(box / "log", "x")) == "409 BlobIsSealed");
    CHECK(header(head(box / "log"), "x-ms-blob-sealed") == "true");
    if (!on_azurite()) CHECK(etag_of(box / "log") == before);  // Append-Blob-Seal: unchanged
    CHECK(outcome(seal(box / "log")) == "200 ");
    put_blob(box / "data", "x");
    CHECK(outcome(seal(box / "data")) == "409 InvalidBlobType");
    CHECK(outcome(seal(box / "none")) == "404 BlobNotFound");
}

TEST_CASE("an append honours If-Match") {
    const Box box;
    const std::string first = header(put_append_blob(box / "log"), "ETag");
    const auto second = append(box / "log", "a", {{"If-Match", first}});
    CHECK(outcome(second) == "201 ");
    CHECK(outcome(append(box / "log", "b", {{"If-Match", first}})) == "412 ConditionNotMet");
    CHECK(outcome(append(box / "log", "b", {{"If-Match", header(second, "ETag")}})) == "201 ");
    CHECK(get(box / "log").body == "ab");
}

TEST_CASE("an append is at most 100 MiB") {
    const Box box;
    put_append_blob(box / "log");
    const auto too_big = append(box / "log", std::string(100 * 1024 * 1024 + 1, 'x'));
    CHECK(too_big.status == 413);
    CHECK(header(head(box / "log"), "Content-Length") == "0");
}

}  // namespace azlock::conformance
