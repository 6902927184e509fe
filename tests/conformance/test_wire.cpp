// Signatures, checksums, versions and sizes: what is decided about a request as such.
#include "base/http_date.hpp"
#include "support/catch.hpp"
#include "support/fake_auth.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

constexpr const char* kText = "Hello Azure!";
constexpr const char* kMd5 = "Pz8543xut4RVSbb2g52Mww==";
constexpr const char* kCrc64 = "DtjZpL9/o8c=";

http::Response signed_at(const Ask& ask, WallTime when) {
    auto request = service().make(http::Method::get, ask);
    test::fake::sign(request, service().endpoint().account, service().endpoint().key, when);
    return service().send(request);
}

}  // namespace

TEST_CASE("a signature covers the headers and the query as the rule says") {
    const Box box;
    // Underscore sorts before digits, names are folded to lower case, empty values are signed too.
    CHECK(outcome(put_blob(box / "a%20%2B", "x",
                           {{"x-ms-meta-i0", "a"},
                            {"x-ms-meta-i_", "b"},
                            {"x-ms-meta-Empty", ""},
                            {"Content-Type", "text/plain; charset=utf-8"}})) == "201 ");
    CHECK(outcome(stage(box / "b", "++//", "x")) == "201 ");
    const auto listed = service().get({.path = box.name(),
                                       .query = {{"restype", "container"},
                                                 {"comp", "list"},
                                                 {"prefix", "a +"},
                                                 {"timeout", "20"},
                                                 {"include", "metadata,uncommittedblobs"}}});
    CHECK(outcome(listed) == "200 ");
    CHECK(listed.body.find("<Name>a +</Name>") != std::string::npos);
}

TEST_CASE("a wrong signature is refused, and the service shows what it signed") {
    const Box box;
    auto request = service().make(http::Method::get, {.path = box / "a"});
    request.headers.set("x-ms-meta-added", "later");
    const auto refused = service().send(request);
    CHECK(outcome(refused) ==
          rule("403 AuthenticationFailed", "403 AuthorizationFailure", "Common-REST-API-Error-Codes"));
    if (!on_azurite()) {
        CHECK(refused.body.find("<AuthenticationErrorDetail>") != std::string::npos);
        CHECK(refused.body.find("x-ms-meta-added:later\n") != std::string::npos);
    }
}

TEST_CASE("a request without credentials is refused") {
    const Box box;
    auto request = service().make(http::Method::get, {.path = box / "a"});
    request.headers.remove("Authorization");
    CHECK(outcome(service().send(request)) ==
          rule("401 NoAuthenticationInformation", "403 AuthorizationFailure", "Common REST API error codes"));
    request.headers.set("Authorization", "SharedKey nonsense");
    CHECK(service().send(request).status == (on_azurite() ? 403 : 400));
}

TEST_CASE("a date more than 15 minutes old is refused") {
    const Box box;
    put_blob(box / "a", "x");
    const WallTime now = target().clock().wall();
    CHECK(outcome(signed_at({.path = box / "a"}, now - std::chrono::minutes(14))) == "200 ");
    CHECK(outcome(signed_at({.path = box / "a"}, now - std::chrono::minutes(16))) ==
          rule("403 AuthenticationFailed", "200 ", "Authorize-with-Shared-Key"));
}

TEST_CASE("a body that does not match its MD5 is refused and not stored") {
    const Box box;
    const Fields good = {{"Content-MD5", kMd5}};
    const Fields wrong = {{"Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="}};
    const Fields malformed = {{"Content-MD5", "short"}};
    CHECK(outcome(put_blob(box / "a", kText, good)) == "201 ");
    CHECK(outcome(stage(box / "b", "MDAx", kText, good)) == "201 ");
    put_append_blob(box / "log");
    CHECK(outcome(append(box / "log", kText, good)) == "201 ");

    const auto mismatch = rule("400 Md5Mismatch", "400 InvalidOperation", "Common-REST-API-Error-Codes");
    CHECK(outcome(put_blob(box / "new", kText, wrong)) == mismatch);
    CHECK(outcome(get(box / "new")) == "404 BlobNotFound");
    CHECK(outcome(stage(box / "new", "MDAx", kText, wrong)) == mismatch);
    CHECK(outcome(block_list(box / "new")) == "404 BlobNotFound");
    CHECK(outcome(append(box / "log", kText, wrong)) == "400 Md5Mismatch");
    CHECK(outcome(put_blob(box / "new", kText, malformed)) ==
          rule("400 InvalidMd5", "400 InvalidOperation", "Common-REST-API-Error-Codes"));
    CHECK(outcome(commit(box / "b", "", wrong)) == rule("400 Md5Mismatch", "201 ", "Put-Block-List"));
}

TEST_CASE("the stored MD5 of Put Blob is checked where it is given, before Content-MD5") {
    const Box box;
    CHECK(outcome(put_blob(box / "a", kText, {{"x-ms-blob-content-md5", kMd5}})) == "201 ");
    CHECK(put_blob(box / "b", kText, {{"x-ms-blob-content-md5", "1B2M2Y8AsgTpgAmY7PhCfg=="}}).status == 400);
}

TEST_CASE("Put Block and Append Block confirm the checksum of what they got") {
    if (on_azurite()) return;  // Azurite returns none (Put-Block)
    const Box box;
    CHECK(header(stage(box / "a", "MDAx", kText, {{"Content-MD5", kMd5}}), "Content-MD5") == kMd5);
    CHECK(header(stage(box / "a", "MDAx", kText), "x-ms-content-crc64") == kCrc64);
    put_append_blob(box / "log");
    CHECK(header(append(box / "log", kText), "x-ms-content-crc64") == kCrc64);
}

TEST_CASE("a body that does not match its CRC64 is refused") {
    const Box box;
    const Fields good = {{"x-ms-content-crc64", kCrc64}};
    const Fields wrong = {{"x-ms-content-crc64", "AAAAAAAAAAA="}};
    const std::string azurite = "500 FeatureNotSupported";
    CHECK(outcome(put_blob(box / "a", kText, good)) == rule("201 ", azurite, "Version 2019-02-02"));
    CHECK(outcome(stage(box / "b", "MDAx", kText, good)) == rule("201 ", azurite, "Version 2019-02-02"));
    CHECK(outcome(put_blob(box / "a", "x", wrong)) == rule("400 Crc64Mismatch", azurite, "Version 2019-02-02"));
    CHECK(outcome(stage(box / "b", "MDAx", "x", wrong)) == rule("400 Crc64Mismatch", azurite, "Version 2019-02-02"));
    const Fields both = {{"x-ms-content-crc64", kCrc64}, {"Content-MD5", kMd5}};
    CHECK(outcome(put_blob(box / "a", kText, both)) ==
          rule("400 BothCrc64AndMd5HeaderPresent", azurite, "Version 2019-02-02"));
    CHECK(outcome(put_blob(box / "a", kText, {{"x-ms-content-crc64", "short"}})) ==
          rule("400 InvalidHeaderValue", azurite, "Version 2019-02-02"));
}

TEST_CASE("a version that the service does not know is refused") {
    const Box box;
    CHECK(outcome(get(box / "a", {{"x-ms-version", "2099-01-01"}})) ==
          rule("400 InvalidHeaderValue", "404 BlobNotFound", "Versioning; Azurite runs with --skipApiVersionCheck"));
}

TEST_CASE("query parameters that the service cannot read are refused") {
    const Box box;
    put_blob(box / "a", "x");
    CHECK(service().put({.path = box / "a", .query = {{"comp", "bogus"}}}).status == 400);
    CHECK(service().get({.path = box / "a", .query = {{"timeout", "abc"}}}).status == 400);
    CHECK(get(box / "a").body == "x");
}

TEST_CASE("a PUT without a body is taken with a length of 0") {
    const Box box;
    auto request = service().make(http::Method::put, {.path = box / "a", .headers = {{"x-ms-blob-type", "BlockBlob"}}});
    CHECK(request.body == nullptr);
    CHECK(outcome(service().send(request)) == "201 ");
    CHECK(header(head(box / "a"), "Content-MD5") == "1B2M2Y8AsgTpgAmY7PhCfg==");
}

}  // namespace azlock::conformance
