// If-Match, If-None-Match and the date conditions on reads and writes.
#include <functional>

#include "base/http_date.hpp"
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

const std::string kStale = "\"0x8D000000000000\"";
const std::string kA = "aaaaaaaa-1111-2222-3333-444444444444";

// The blob's Last-Modified plus `seconds`, as a header value.
std::string date(const std::string& path, int seconds) {
    const auto at = parse_http_date(header(head(path), "Last-Modified"));
    REQUIRE(at);
    return format_http_date(*at + std::chrono::seconds(seconds));
}

using Write = std::function<http::Response(const Fields&)>;

}  // namespace

TEST_CASE("writes honour If-Match and refuse a stale ETag with 412") {
    const Box box;
    const std::string data = box / "data";
    put_blob(data, "x");
    const std::vector<std::pair<std::string, Write>> writes = {
        {"Put Blob", [&](const Fields& f) { return put_blob(data, "y", f); }},
        {"Put Block List", [&](const Fields& f) { return commit(data, "", f); }},
        {"Set Blob Metadata", [&](const Fields& f) { return set_metadata(data, f); }},
        {"Set Blob Properties",
         [&](const Fields& f) {
             return service().put({.path = data, .query = {{"comp", "properties"}}, .headers = f});
         }},
        {"Lease Blob",
         [&](const Fields& f) {
             auto all = f;
             all.insert(
                 all.end(),
                 {{"x-ms-lease-action", "acquire"}, {"x-ms-lease-duration", "15"}, {"x-ms-proposed-lease-id", kA}});
             return lease(data, all);
         }},
        {"Delete Blob",
         [&](const Fields& f) {
             auto all = f;
             all.emplace_back("x-ms-lease-id", kA);
             return del(data, all);
         }},
    };
    for (const auto& [name, write] : writes) {
        INFO(name);
        CHECK(outcome(write({{"If-Match", kStale}})) == "412 ConditionNotMet");
        CHECK(write({{"If-Match", etag_of(data)}}).status < 300);
    }
}

TEST_CASE("If-Match takes an ETag with or without quotes, and * for any blob") {
    const Box box;
    put_blob(box / "a", "x");
    std::string bare = etag_of(box / "a");
    bare = bare.substr(1, bare.size() - 2);
    CHECK(outcome(put_blob(box / "a", "y", {{"If-Match", bare}})) == "201 ");
    CHECK(outcome(put_blob(box / "a", "y", {{"If-Match", "*"}})) == "201 ");
}

TEST_CASE("If-Match on a blob that is not there: 412 on writes, 404 on reads") {
    const Box box;
    CHECK(outcome(put_blob(box / "a", "x", {{"If-Match", kStale}})) == "412 ConditionNotMet");
    CHECK(outcome(put_blob(box / "b", "x", {{"If-Match", "*"}})) ==
          rule("412 ConditionNotMet", "201 ", "Azurite#2589"));
    CHECK(outcome(get(box / "c", {{"If-Match", kStale}})) ==
          rule("404 BlobNotFound", "412 ConditionNotMet", "Azurite#2751"));
    CHECK(outcome(head(box / "c", {{"If-Match", kStale}})) ==
          rule("404 BlobNotFound", "412 ConditionNotMet", "Azurite#2751"));
    stage(box / "d", "MDAx", "x");
    CHECK(outcome(commit(box / "d", "<Latest>MDAx</Latest>", {{"If-Match", "*"}})) ==
          rule("412 ConditionNotMet", "201 ", "Version 2017-04-17"));
}

TEST_CASE("create-if-absent is refused with 409 where there is a blob") {
    const Box box;
    const Fields create = {{"If-None-Match", "*"}};
    CHECK(outcome(put_blob(box / "a", "x", create)) == "201 ");
    CHECK(outcome(put_blob(box / "a", "y", create)) == "409 BlobAlreadyExists");
    CHECK(outcome(commit(box / "a", "", create)) == "409 BlobAlreadyExists");
    CHECK(get(box / "a").body == "x");
    CHECK(outcome(commit(box / "b", "", create)) == "201 ");
    stage(box / "staged", "MDAx", "x");
    CHECK(outcome(commit(box / "staged", "<Latest>MDAx</Latest>", create)) == "201 ");
}

TEST_CASE("create-if-absent on a leased blob without its id is refused for the lease") {
    const Box box;
    put_blob(box / "a", "x");
    acquire(box / "a", kA);
    CHECK(outcome(put_blob(box / "a", "y", {{"If-None-Match", "*"}})) ==
          rule("412 LeaseIdMissing", "409 BlobAlreadyExists", "Azurite#2637"));
}

TEST_CASE("If-None-Match:* does not stop Delete and Set Blob Properties") {
    const Box box;
    put_blob(box / "a", "x");
    const Fields star = {{"If-None-Match", "*"}};
    CHECK(service().put({.path = box / "a", .query = {{"comp", "properties"}}, .headers = star}).status == 200);
    CHECK(outcome(del(box / "a", star)) == "202 ");  // apache/opendal#8176
}

TEST_CASE("If-None-Match with the current ETag refuses a write, with another lets it through") {
    const Box box;
    put_blob(box / "a", "x");
    CHECK(outcome(put_blob(box / "a", "y", {{"If-None-Match", etag_of(box / "a")}})) == "412 ConditionNotMet");
    CHECK(outcome(put_blob(box / "a", "y", {{"If-None-Match", kStale}})) == "201 ");
}

TEST_CASE("date conditions on writes have a resolution of a second and answer 412") {
    const Box box;
    const std::string a = box / "a";
    put_blob(a, "x");
    CHECK(outcome(set_metadata(a, {{"If-Modified-Since", date(a, 0)}})) == "412 ConditionNotMet");
    CHECK(outcome(set_metadata(a, {{"If-Unmodified-Since", date(a, -1)}})) == "412 ConditionNotMet");
    CHECK(outcome(set_metadata(a, {{"If-Unmodified-Since", date(a, 0)}})) == "200 ");
    CHECK(outcome(set_metadata(a, {{"If-Modified-Since", date(a, -1)}})) == "200 ");
}

TEST_CASE("writes take one condition, or an ETag with the date of its kind, which then does not count") {
    const Box box;
    const std::string a = box / "a";
    put_blob(a, "x");
    const std::string many = "400 MultipleConditionHeadersNotSupported";
    CHECK(outcome(set_metadata(a, {{"If-Match", etag_of(a)}, {"If-None-Match", kStale}})) == many);
    CHECK(outcome(set_metadata(a, {{"If-Match", etag_of(a) + "," + kStale}})) == many);
    CHECK(outcome(set_metadata(a, {{"If-Match", etag_of(a)}, {"If-Unmodified-Since", date(a, -10)}})) == "200 ");
    CHECK(outcome(set_metadata(a, {{"If-None-Match", kStale}, {"If-Modified-Since", date(a, 10)}})) == "200 ");
}

TEST_CASE("reads answer 304 without a body where nothing changed and 412 where something did") {
    const Box box;
    const std::string a = box / "a";
    put_blob(a, "content");
    const std::string etag = etag_of(a);
    for (const auto& read : {get(a, {{"If-None-Match", etag}}), get(a, {{"If-Modified-Since", date(a, 0)}}),
                             head(a, {{"If-None-Match", etag}})}) {
        CHECK(outcome(read) == "304 ConditionNotMet");
        CHECK(read.body.empty());
    }
    CHECK(get(a, {{"If-None-Match", kStale}}).body == "content");
    CHECK(get(a, {{"If-Modified-Since", date(a, -1)}}).body == "content");
    CHECK(outcome(get(a, {{"If-Match", kStale}})) == "412 ConditionNotMet");
    CHECK(outcome(get(a, {{"If-Unmodified-Since", date(a, -1)}})) == "412 ConditionNotMet");
    CHECK(get(a, {{"If-Match", etag}, {"Range", "bytes=0-2"}}).body == "con");
    CHECK(outcome(get(a, {{"If-None-Match", "*"}})) == "400 UnsatisfiableCondition");
}

TEST_CASE("reads take several ETags and any mix of conditions") {
    const Box box;
    const std::string a = box / "a";
    put_blob(a, "x");
    const std::string etag = etag_of(a);
    CHECK(outcome(get(a, {{"If-Match", kStale + "," + etag}})) == "200 ");
    CHECK(outcome(get(a, {{"If-None-Match", kStale + "," + etag}})) == "304 ConditionNotMet");
    CHECK(outcome(get(a, {{"If-Match", etag}, {"If-Unmodified-Since", date(a, -1)}})) == "412 ConditionNotMet");
    CHECK(outcome(get(a, {{"If-None-Match", etag}, {"If-Modified-Since", date(a, -1)}})) == "200 ");
}

TEST_CASE("Put Block and Get Block List take no conditions") {
    const Box box;
    CHECK(outcome(stage(box / "a", "MDAx", "x", {{"If-Match", kStale}})) == "201 ");
    CHECK(outcome(block_list(box / "a", "all", {{"If-Match", kStale}})) == "200 ");
}

TEST_CASE("acquire with If-Match leases only the version that was seen, and an id combines with a condition") {
    const Box box;
    const std::string a = box / "a";
    put_blob(a, "x");
    const std::string seen = etag_of(a);
    put_blob(a, "y");
    const Fields ask = {{"x-ms-lease-action", "acquire"}, {"x-ms-lease-duration", "15"}, {"If-Match", seen}};
    CHECK(outcome(lease(a, ask)) == "412 ConditionNotMet");
    acquire(a, kA);
    CHECK(outcome(put_blob(a, "z", {{"x-ms-lease-id", kA}, {"If-Match", seen}})) == "412 ConditionNotMet");
    CHECK(outcome(put_blob(a, "z", {{"x-ms-lease-id", kA}, {"If-Match", etag_of(a)}})) == "201 ");
}

}  // namespace azlock::conformance
