// Put Blob, Get Blob, properties, metadata and Delete.
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {

TEST_CASE("a blob is read back as it was put, with its properties and metadata") {
    const Box box;
    const auto put = put_blob(box / "a", "hello",
                              {{"x-ms-blob-content-type", "text/plain"},
                               {"x-ms-blob-cache-control", "no-cache"},
                               {"x-ms-blob-content-disposition", "inline"},
                               {"x-ms-blob-content-language", "de"},
                               {"x-ms-meta-Owner", "me"},
                               {"x-ms-meta-empty_", ""}});
    REQUIRE(outcome(put) == "201 ");
    CHECK(header(put, "Content-MD5") == "XUFAKrxLKna5cZ2REBfFkg==");
    CHECK(!header(put, "Last-Modified").empty());
    for (const auto& read : {get(box / "a"), head(box / "a")}) {
        CHECK(outcome(read) == "200 ");
        CHECK(header(read, "ETag") == header(put, "ETag"));
        CHECK(header(read, "Content-Length") == "5");
        CHECK(header(read, "Content-Type") == "text/plain");
        CHECK(header(read, "Cache-Control") == "no-cache");
        CHECK(header(read, "Content-Disposition") == "inline");
        CHECK(header(read, "Content-Language") == "de");
        CHECK(header(read, "Content-MD5") == "XUFAKrxLKna5cZ2REBfFkg==");
        CHECK(header(read, "x-ms-blob-type") == "BlockBlob");
        CHECK(header(read, "x-ms-meta-owner") == "me");
        CHECK(header(read, "x-ms-lease-state") == "available");
        CHECK(header(read, "x-ms-lease-status") == "unlocked");
        CHECK(!header(read, "x-ms-creation-time").empty());
    }
    CHECK(get(box / "a").body == "hello");
    CHECK(head(box / "a").body.empty());
}

TEST_CASE("every answer carries a request id, a date, a version and the client's own id") {
    const Box box;
    const auto put = put_blob(box / "a", "x", {{"x-ms-client-request-id", "my-own-id"}});
    CHECK(!header(put, "x-ms-request-id").empty());
    CHECK(!header(put, "Date").empty());
    CHECK(!header(put, "x-ms-version").empty());
    CHECK(header(put, "x-ms-client-request-id") == "my-own-id");
    CHECK(header(put, "x-ms-request-id") != header(head(box / "a"), "x-ms-request-id"));
}

TEST_CASE("a missing blob or container is 404, with the code in a header and for GET in XML") {
    const Box box;
    const auto missing = get(box / "none");
    CHECK(outcome(missing) == "404 BlobNotFound");
    CHECK(missing.body.find("<Code>BlobNotFound</Code>") != std::string::npos);
    const auto without_body = head(box / "none");
    CHECK(outcome(without_body) == "404 BlobNotFound");
    CHECK(without_body.body.empty());
    const std::string nowhere = fresh_name() + "/a";
    CHECK(outcome(get(nowhere)) == "404 ContainerNotFound");
    CHECK(outcome(put_blob(nowhere, "x")) == "404 ContainerNotFound");
    CHECK(outcome(stage(nowhere, "MDAx", "x")) == "404 ContainerNotFound");
    CHECK(outcome(acquire(nowhere, "")) == "404 ContainerNotFound");
    CHECK(outcome(set_metadata(box / "none")) == "404 BlobNotFound");
    CHECK(outcome(acquire(box / "none", "")) == "404 BlobNotFound");
    CHECK(outcome(del(box / "none")) == "404 BlobNotFound");
}

TEST_CASE("Put Blob replaces content, properties and metadata, and each put has another ETag") {
    const Box box;
    const auto first = put_blob(box / "a", "first", {{"x-ms-meta-k", "v"}, {"x-ms-blob-content-type", "text/plain"}});
    const auto second = put_blob(box / "a", "second, longer");
    CHECK(header(first, "ETag") != header(second, "ETag"));
    const auto read = get(box / "a");
    CHECK(read.body == "second, longer");
    CHECK(!read.headers.has("x-ms-meta-k"));
    CHECK(header(read, "Content-Type") == "application/octet-stream");
}

TEST_CASE("Put Blob needs a blob type, and an append blob is created empty") {
    const Box box;
    const auto untyped = service().put({.path = box / "a", .body = "x"});
    CHECK(untyped.status == 400);
    const auto full = service().put({.path = box / "a", .headers = {{"x-ms-blob-type", "AppendBlob"}}, .body = "x"});
    CHECK(full.status == 400);
    CHECK(outcome(put_append_blob(box / "a")) == "201 ");
    CHECK(header(head(box / "a"), "x-ms-blob-type") == "AppendBlob");
    CHECK(header(head(box / "a"), "Content-Length") == "0");
}

TEST_CASE("Put Blob does not turn a blob into another type") {
    const Box box;
    put_append_blob(box / "log");
    put_blob(box / "data", "x");
    CHECK(outcome(put_blob(box / "log", "x")) == rule("409 InvalidBlobType", "201 ", "Put-Blob error codes"));
    CHECK(outcome(put_append_blob(box / "data")) == rule("409 InvalidBlobType", "201 ", "Put-Blob error codes"));
}

TEST_CASE("a range gives 206 and is clipped at the end of the blob") {
    const Box box;
    put_blob(box / "a", "0123456789");
    const auto middle = get(box / "a", {{"Range", "bytes=2-4"}});
    CHECK(outcome(middle) == "206 ");
    CHECK(middle.body == "234");
    CHECK(header(middle, "Content-Range") == "bytes 2-4/10");
    CHECK(header(middle, "Content-Length") == "3");
    CHECK(!middle.headers.has("Content-MD5"));
    CHECK(get(box / "a", {{"Range", "bytes=8-100"}}).body == "89");
    CHECK(header(get(box / "a", {{"Range", "bytes=8-100"}}), "Content-Range") == "bytes 8-9/10");
    CHECK(get(box / "a", {{"Range", "bytes=7-"}}).body == "789");
    CHECK(get(box / "a", {{"Range", "bytes=7-"}, {"x-ms-range", "bytes=0-0"}}).body == "0");
}

TEST_CASE("a range that starts at the end or later is 416, and so is any range of an empty blob") {
    const Box box;
    put_blob(box / "a", "0123456789");
    put_blob(box / "empty");
    CHECK(outcome(get(box / "a", {{"Range", "bytes=11-"}})) == "416 InvalidRange");
    CHECK(header(get(box / "a", {{"Range", "bytes=11-"}}), "Content-Range") == "bytes */10");
    CHECK(outcome(get(box / "a", {{"Range", "bytes=10-"}})) ==
          rule("416 InvalidRange", "206 ", "Blob-Service-Error-Codes"));
    CHECK(outcome(get(box / "empty", {{"Range", "bytes=0-"}})) ==
          rule("416 InvalidRange", "206 ", "Specifying-the-Range-Header"));
}

TEST_CASE("the MD5 of a range is given for at most 4 MiB of it") {
    const Box box;
    put_blob(box / "a", "hello, world");
    const Fields hash = {{"x-ms-range-get-content-md5", "true"}};
    auto ranged = hash;
    ranged.emplace_back("Range", "bytes=0-4");
    const auto read = get(box / "a", ranged);
    CHECK(header(read, "Content-MD5") == "XUFAKrxLKna5cZ2REBfFkg==");
    CHECK(header(read, "x-ms-blob-content-md5") == header(head(box / "a"), "Content-MD5"));
    CHECK(get(box / "a", hash).status == (on_azurite() ? 200 : 400));  // Get-Blob: not without a range
}

TEST_CASE("Set Blob Metadata replaces all pairs, changes the ETag and keeps the content") {
    const Box box;
    put_blob(box / "a", "x", {{"x-ms-meta-one", "1"}, {"x-ms-blob-content-type", "text/plain"}});
    const std::string before = etag_of(box / "a");
    const auto set = set_metadata(box / "a", {{"x-ms-meta-two", "2"}});
    CHECK(outcome(set) == "200 ");
    CHECK(header(set, "ETag") != before);
    for (const auto& read : {get(box / "a"), service().get({.path = box / "a", .query = {{"comp", "metadata"}}})}) {
        CHECK(header(read, "x-ms-meta-two") == "2");
        CHECK(!read.headers.has("x-ms-meta-one"));
        CHECK(header(read, "ETag") == header(set, "ETag"));
    }
    CHECK(header(head(box / "a"), "Content-Type") == "text/plain");
    set_metadata(box / "a");
    CHECK(!head(box / "a").headers.has("x-ms-meta-two"));
    CHECK(get(box / "a").body == "x");
}

TEST_CASE("metadata names are identifiers, and all of them together are at most 8 KiB") {
    const Box box;
    put_blob(box / "a");
    CHECK(outcome(set_metadata(box / "a", {{"x-ms-meta-a-b", "v"}})) == "400 InvalidMetadata");
    CHECK(outcome(set_metadata(box / "a", {{"x-ms-meta-1a", "v"}})) == "400 InvalidMetadata");
    const std::string too_long(8192, 'v');
    CHECK(outcome(set_metadata(box / "a", {{"x-ms-meta-k", too_long}})) ==
          rule("400 MetadataTooLarge", "200 ", "Setting-and-Retrieving-Properties-and-Metadata"));
    CHECK(outcome(set_metadata(box / "a", {{"x-ms-meta-k", std::string(8191, 'v')}})) == "200 ");
}

TEST_CASE("Set Blob Properties clears what it does not name, and keeps metadata") {
    const Box box;
    put_blob(box / "a", "x",
             {{"x-ms-blob-content-type", "text/plain"}, {"x-ms-blob-cache-control", "no-cache"}, {"x-ms-meta-k", "v"}});
    const std::string before = etag_of(box / "a");
    const auto set = service().put(
        {.path = box / "a", .query = {{"comp", "properties"}}, .headers = {{"x-ms-blob-content-language", "fr"}}});
    CHECK(outcome(set) == "200 ");
    CHECK(header(set, "ETag") != before);
    const auto read = head(box / "a");
    CHECK(header(read, "Content-Language") == "fr");
    CHECK(header(read, "Cache-Control").empty());
    CHECK(header(read, "Content-Type") != "text/plain");
    CHECK(header(read, "x-ms-meta-k") == "v");
}

TEST_CASE("Delete answers 202 once, and takes x-ms-delete-snapshots") {
    const Box box;
    put_blob(box / "a", "x");
    put_blob(box / "b", "x");
    CHECK(outcome(del(box / "a")) == "202 ");
    CHECK(outcome(get(box / "a")) == "404 BlobNotFound");
    CHECK(outcome(del(box / "a")) == "404 BlobNotFound");
    CHECK(outcome(del(box / "b", {{"x-ms-delete-snapshots", "include"}})) == "202 ");
}

TEST_CASE("names round-trip whatever characters they hold, and case and slashes count") {
    const Box box;
    const std::vector<std::string> names = {"a%20b", "%2541",        "a%2Bb",        "%23%3F%26", "dir//x",     "dir/x",
                                            "Dir/x", "%D0%9F%D1%83", "%F0%9F%98%80", "a%2Fb%3D",  "%27quo%22te"};
    for (const std::string& name : names) CHECK(outcome(put_blob(box / name, name)) == "201 ");
    for (const std::string& name : names) CHECK(get(box / name).body == name);
    CHECK(get(box / "a+b").body == "a%2Bb");  // in a path '+' does not mean a blank
}

TEST_CASE("a blob name has at most 1024 characters") {
    const Box box;
    CHECK(outcome(put_blob(box / std::string(1024, 'n'), "x")) == "201 ");
    CHECK(put_blob(box / std::string(1025, 'n'), "x").status == (on_azurite() ? 201 : 400));  // Naming-and-Referencing
}

}  // namespace azlock::conformance
