// Put Block, Put Block List and Get Block List.
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

const std::string k1 = "MDAx";
const std::string k2 = "MDAy";
const std::string k3 = "MDAz";

std::string latest(const std::string& id) {
    return "<Latest>" + id + "</Latest>";
}
std::string committed(const std::string& id) {
    return "<Committed>" + id + "</Committed>";
}
std::string uncommitted(const std::string& id) {
    return "<Uncommitted>" + id + "</Uncommitted>";
}

bool lists(const http::Response& response, const std::string& id, std::size_t size) {
    return response.body.find("<Name>" + id + "</Name><Size>" + std::to_string(size) + "</Size>") != std::string::npos;
}

}  // namespace

TEST_CASE("staged blocks become a blob in the order of the list, with properties and metadata of the commit") {
    const Box box;
    CHECK(outcome(stage(box / "a", k1, "one")) == "201 ");
    CHECK(outcome(stage(box / "a", k2, "second")) == "201 ");
    const auto made =
        commit(box / "a", latest(k2) + latest(k1), {{"x-ms-blob-content-type", "text/plain"}, {"x-ms-meta-k", "v"}});
    REQUIRE(outcome(made) == "201 ");
    CHECK(!header(made, "ETag").empty());
    const auto read = get(box / "a");
    CHECK(read.body == "secondone");
    CHECK(header(read, "ETag") == header(made, "ETag"));
    CHECK(header(read, "Content-Type") == "text/plain");
    CHECK(header(read, "x-ms-meta-k") == "v");
    const auto list = block_list(box / "a");
    CHECK(lists(list, k1, 3));
    CHECK(lists(list, k2, 6));
    CHECK(list.body.find(k2) < list.body.find(k1));
    CHECK(header(list, "x-ms-blob-content-length") == "9");
    CHECK(header(list, "ETag") == header(made, "ETag"));
}

TEST_CASE("a blob of staged blocks only is invisible but to Get Block List") {
    const Box box;
    stage(box / "a", k1, "one");
    CHECK(outcome(get(box / "a")) == "404 BlobNotFound");
    CHECK(outcome(head(box / "a")) == "404 BlobNotFound");
    CHECK(outcome(set_metadata(box / "a")) == "404 BlobNotFound");
    const auto list = block_list(box / "a", "uncommitted");
    CHECK(outcome(list) == "200 ");
    CHECK(lists(list, k1, 3));
    if (!on_azurite()) CHECK(!list.headers.has("ETag"));  // Get-Block-List
    CHECK(outcome(block_list(box / "none")) == "404 BlobNotFound");
}

TEST_CASE("Get Block List gives what was asked for, committed blocks by default") {
    const Box box;
    stage(box / "a", k1, "one");
    commit(box / "a", latest(k1));
    stage(box / "a", k2, "second");
    const auto by_default = service().get({.path = box / "a", .query = {{"comp", "blocklist"}}});
    CHECK(lists(by_default, k1, 3));
    CHECK(!lists(by_default, k2, 6));
    CHECK(!lists(block_list(box / "a", "uncommitted"), k1, 3));
    CHECK(lists(block_list(box / "a", "uncommitted"), k2, 6));
    CHECK(lists(block_list(box / "a", "all"), k1, 3));
    CHECK(lists(block_list(box / "a", "all"), k2, 6));
    CHECK(block_list(box / "a", "bogus").status == 400);
}

TEST_CASE("the last upload of an id counts, and staging changes neither ETag nor content of a committed blob") {
    const Box box;
    const auto put = put_blob(box / "a", "old");
    stage(box / "a", k1, "first");
    stage(box / "a", k1, "again!");
    CHECK(etag_of(box / "a") == header(put, "ETag"));
    CHECK(get(box / "a").body == "old");
    CHECK(lists(block_list(box / "a"), k1, 6));
    commit(box / "a", latest(k1));
    CHECK(get(box / "a").body == "again!");
}

TEST_CASE("staged blocks are listed in the order of their ids") {
    const Box box;
    stage(box / "a", k3, "3");
    stage(box / "a", k1, "1");
    const auto list = block_list(box / "a");
    CHECK((list.body.find(k1) < list.body.find(k3)) == !on_azurite());  // Get-Block-List: alphabetical
}

TEST_CASE("Committed, Uncommitted and Latest look where they say") {
    const Box box;
    stage(box / "a", k1, "old1");
    stage(box / "a", k2, "old2");
    commit(box / "a", latest(k1) + latest(k2));
    stage(box / "a", k1, "new1");
    stage(box / "a", k3, "new3");
    CHECK(outcome(commit(box / "a", committed(k3))) == "400 InvalidBlockList");
    CHECK(outcome(commit(box / "a", uncommitted(k2))) == "400 InvalidBlockList");
    CHECK(outcome(commit(box / "a", latest("bm9wZQ=="))) == "400 InvalidBlockList");
    CHECK(get(box / "a").body == "old1old2");

    SECTION("Committed takes the old block and drops the staged one") {
        REQUIRE(outcome(commit(box / "a", committed(k1) + uncommitted(k3))) == "201 ");
        CHECK(get(box / "a").body == "old1new3");
        CHECK(block_list(box / "a", "uncommitted").body.find("<Name>") == std::string::npos);
    }
    SECTION("Latest takes the staged block first, else the committed one") {
        REQUIRE(outcome(commit(box / "a", latest(k1) + latest(k2))) == "201 ");
        CHECK(get(box / "a").body == "new1old2");
        CHECK(outcome(commit(box / "a", latest(k3))) == "400 InvalidBlockList");
    }
}

TEST_CASE("a commit can be repeated with Latest and not with Uncommitted") {
    const Box box;
    stage(box / "a", k1, "one");
    CHECK(outcome(commit(box / "a", latest(k1))) == "201 ");
    CHECK(outcome(commit(box / "a", latest(k1))) == "201 ");
    CHECK(outcome(commit(box / "a", uncommitted(k1))) == "400 InvalidBlockList");
    CHECK(get(box / "a").body == "one");
}

TEST_CASE("an id may be listed twice, its bytes then are there twice, but in one kind of element only") {
    const Box box;
    stage(box / "a", k1, "one");
    CHECK(outcome(commit(box / "a", latest(k1) + latest(k1))) == "201 ");
    CHECK(get(box / "a").body == "oneone");
    stage(box / "a", k1, "uno");
    CHECK(outcome(commit(box / "a", committed(k1) + uncommitted(k1))) ==
          rule("400 InvalidBlockList", "201 ", "Put-Block-List"));
}

TEST_CASE("an empty list makes or truncates an empty blob") {
    const Box box;
    CHECK(outcome(commit(box / "new", "")) == "201 ");
    CHECK(header(head(box / "new"), "Content-Length") == "0");
    put_blob(box / "old", "content");
    CHECK(outcome(commit(box / "old", "")) == "201 ");
    CHECK(get(box / "old").body.empty());
}

TEST_CASE("a commit replaces properties and metadata, and its content MD5 is stored unchecked") {
    const Box box;
    put_blob(box / "a", "x", {{"x-ms-meta-k", "v"}, {"x-ms-blob-content-type", "text/plain"}});
    stage(box / "a", k1, "one");
    commit(box / "a", latest(k1), {{"x-ms-blob-content-md5", "XUFAKrxLKna5cZ2REBfFkg=="}, {"Content-Type", "a/b"}});
    const auto read = head(box / "a");
    CHECK(!read.headers.has("x-ms-meta-k"));
    CHECK(header(read, "Content-Type") == "application/octet-stream");
    CHECK(header(read, "Content-MD5") == "XUFAKrxLKna5cZ2REBfFkg==");
    commit(box / "a", latest(k1));
    CHECK(!head(box / "a").headers.has("Content-MD5"));
}

TEST_CASE("a blob that Put Blob wrote has no committed blocks although it has data") {
    const Box box;
    put_blob(box / "a", "data");
    const auto list = block_list(box / "a", "committed");
    CHECK(list.body.find("<Name>") == std::string::npos);
    CHECK(header(list, "x-ms-blob-content-length") == "4");
    CHECK(outcome(commit(box / "a", committed(k1))) == "400 InvalidBlockList");
}

TEST_CASE("a commit discards the staged blocks that it does not name; a refused one keeps them") {
    const Box box;
    stage(box / "a", k1, "one");
    stage(box / "a", k2, "second");
    CHECK(outcome(commit(box / "a", latest(k3))) == "400 InvalidBlockList");
    CHECK(lists(block_list(box / "a"), k2, 6));
    CHECK(outcome(commit(box / "a", latest(k1))) == "201 ");
    CHECK(!lists(block_list(box / "a"), k2, 6));
}

TEST_CASE("Put Blob and Delete discard staged blocks") {
    const Box box;
    stage(box / "put", k1, "one");
    put_blob(box / "put", "x");
    CHECK(outcome(commit(box / "put", latest(k1))) == rule("400 InvalidBlockList", "201 ", "Put-Block-List, Put-Blob"));
    put_blob(box / "deleted", "x");
    stage(box / "deleted", k1, "one");
    CHECK(outcome(del(box / "deleted")) == "202 ");
    CHECK(outcome(commit(box / "deleted", latest(k1))) ==
          rule("400 InvalidBlockList", "201 ", "Delete-Blob, azure-sdk-for-cpp#3911"));
}

TEST_CASE("a blob of staged blocks only can be deleted") {
    const Box box;
    stage(box / "a", k1, "one");
    CHECK(outcome(del(box / "a")) == "202 ");
    CHECK(outcome(block_list(box / "a")) == "404 BlobNotFound");
}

TEST_CASE("all staged ids of a blob are equally long, and committed or discarded ones do not count") {
    const Box box;
    stage(box / "a", k1, "one");
    CHECK(outcome(stage(box / "a", "MDAwMQ==", "x")) == "400 InvalidBlobOrBlock");
    commit(box / "a", latest(k1));
    CHECK(outcome(stage(box / "a", "MDAwMQ==", "x")) == "201 ");
    put_blob(box / "a", "x");
    CHECK(outcome(stage(box / "a", k1, "one")) == rule("201 ", "400 InvalidBlobOrBlock", "Put-Block, Put-Blob"));
}

TEST_CASE("an id is Base64 of at most 64 bytes, and a block is not empty") {
    const Box box;
    CHECK(outcome(stage(box / "a", "not*base64", "x")) ==
          rule("400 InvalidBlockId", "400 InvalidQueryParameterValue", "Blob-Service-Error-Codes"));
    CHECK(outcome(stage(box / "a", std::string(86, 'A') + "==", "x")) == "201 ");  // 64 bytes
    CHECK(outcome(stage(box / "a", std::string(87, 'A') + "=", "x")) == "400 OutOfRangeInput");
    CHECK(stage(box / "b", "", "x").status == (on_azurite() ? 201 : 400));
    CHECK(stage(box / "c", k1, "").status == (on_azurite() ? 201 : 400));  // Azurite#329
}

TEST_CASE("a block list that is not one is refused") {
    const Box box;
    const auto bad = [&](const std::string& body) {
        return service().put({.path = box / "a", .query = {{"comp", "blocklist"}}, .body = body}).status;
    };
    CHECK(bad("<BlockList><Latest>") == 400);
    CHECK(bad("hello") == 400);
    if (!on_azurite()) CHECK(bad("") == 400);  // Azurite gives 500
}

TEST_CASE("block operations are not for append blobs") {
    const Box box;
    put_append_blob(box / "log");
    CHECK(outcome(stage(box / "log", k1, "x")) == "409 InvalidBlobType");
    CHECK(outcome(block_list(box / "log")) == "409 InvalidBlobType");
    CHECK(commit(box / "log", "").status == 409);
}

}  // namespace azlock::conformance
