// Containers, List Blobs and List Containers.
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

const Fields kContainer = {{"restype", "container"}};

http::Response list(const std::string& container, Fields query = {}) {
    query.insert(query.begin(), {{"restype", "container"}, {"comp", "list"}});
    return service().get({.path = container, .query = query});
}

// The texts of all <name> elements.
std::vector<std::string> all(const std::string& xml, const std::string& name) {
    std::vector<std::string> out;
    const std::string open = "<" + name + ">";
    for (auto at = xml.find(open); at != std::string::npos; at = xml.find(open, at + 1)) {
        const auto begin = at + open.size();
        out.push_back(xml.substr(begin, xml.find("</" + name + ">", begin) - begin));
    }
    return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a container is created once, shown, and gone after its deletion") {
    const std::string name = fresh_name();
    const auto made = service().put({.path = name, .query = kContainer, .headers = {{"x-ms-meta-k", "v"}}});
    REQUIRE(outcome(made) == "201 ");
    CHECK(!header(made, "ETag").empty());
    CHECK(outcome(service().put({.path = name, .query = kContainer})) == "409 ContainerAlreadyExists");
    for (const auto& shown :
         {service().get({.path = name, .query = kContainer}), service().head({.path = name, .query = kContainer})}) {
        CHECK(outcome(shown) == "200 ");
        CHECK(header(shown, "ETag") == header(made, "ETag"));
        CHECK(header(shown, "x-ms-meta-k") == "v");
        CHECK(header(shown, "x-ms-lease-state") == "available");
    }
    put_blob(name + "/a", "x");
    CHECK(header(service().head({.path = name, .query = kContainer}), "ETag") == header(made, "ETag"));
    CHECK(outcome(service().del({.path = name, .query = kContainer})) == "202 ");
    CHECK(outcome(service().head({.path = name, .query = kContainer})) == "404 ContainerNotFound");
    CHECK(outcome(get(name + "/a")) == "404 ContainerNotFound");
    CHECK(outcome(service().del({.path = name, .query = kContainer})) == "404 ContainerNotFound");
    CHECK(outcome(service().put({.path = name, .query = kContainer})) ==
          rule("409 ContainerBeingDeleted", "201 ", "Delete-Container, Create-Container"));
    if (on_azurite()) service().del({.path = name, .query = kContainer});
}

TEST_CASE("container names that break the rules are refused") {
    for (const char* name : {"ab", "Upper", "two--dashes", "-dash", "dash-"}) {
        CHECK(service().put({.path = name, .query = kContainer}).status == 400);
    }
    CHECK(service().put({.path = std::string(64, 'a'), .query = kContainer}).status == 400);
}

TEST_CASE("container metadata is replaced as a whole and changes the ETag") {
    const Box box;
    const Fields metadata = {{"restype", "container"}, {"comp", "metadata"}};
    const auto before = service().head({.path = box.name(), .query = kContainer});
    const auto set = service().put({.path = box.name(), .query = metadata, .headers = {{"x-ms-meta-one", "1"}}});
    CHECK(outcome(set) == "200 ");
    CHECK(header(set, "ETag") != header(before, "ETag"));
    service().put({.path = box.name(), .query = metadata, .headers = {{"x-ms-meta-two", "2"}}});
    const auto shown = service().get({.path = box.name(), .query = metadata});
    CHECK(header(shown, "x-ms-meta-two") == "2");
    CHECK(!shown.headers.has("x-ms-meta-one"));
}

TEST_CASE("a container's deletion honours date conditions") {
    const Box box;
    const auto shown = service().head({.path = box.name(), .query = kContainer});
    const std::string date = header(shown, "Last-Modified");
    CHECK(outcome(service().del({.path = box.name(), .query = kContainer, .headers = {{"If-Modified-Since", date}}})) ==
          "412 ConditionNotMet");
    CHECK(outcome(service().del(
              {.path = box.name(), .query = kContainer, .headers = {{"If-Unmodified-Since", date}}})) == "202 ");
}

TEST_CASE("List Blobs gives names in order with their properties, metadata only when asked") {
    const Box box;
    put_blob(box / "b", "12345", {{"x-ms-meta-k", "v&<>"}, {"x-ms-blob-content-type", "text/plain"}});
    put_blob(box / "B", "x");
    put_append_blob(box / "a%20%26%3C");
    const auto plain = list(box.name());
    REQUIRE(outcome(plain) == "200 ");
    CHECK(all(plain.body, "Name") == Names{"B", "a &amp;&lt;", "b"});
    CHECK(all(plain.body, "Content-Length") == Names{"1", "0", "5"});
    CHECK(all(plain.body, "BlobType") == Names{"BlockBlob", "AppendBlob", "BlockBlob"});
    CHECK(all(plain.body, "LeaseState") == Names{"available", "available", "available"});
    CHECK(all(plain.body, "Last-Modified").size() == 3);
    CHECK(all(plain.body, "k").empty());
    std::string etag = etag_of(box / "b");
    CHECK(all(plain.body, "Etag").at(2) == etag.substr(1, etag.size() - 2));
    CHECK(all(list(box.name(), {{"include", "metadata"}}).body, "k") == Names{"v&amp;&lt;&gt;"});
    CHECK(outcome(list(fresh_name())) == "404 ContainerNotFound");
}

TEST_CASE("List Blobs shows blobs of staged blocks only when asked") {
    const Box box;
    put_blob(box / "a", "x");
    stage(box / "b", "MDAx", "x");
    CHECK(all(list(box.name()).body, "Name") == Names{"a"});
    const auto both = list(box.name(), {{"include", "metadata,uncommittedblobs"}});
    CHECK(all(both.body, "Name") == Names{"a", "b"});
    CHECK(all(both.body, "Content-Length") == Names{"1", "0"});
}

TEST_CASE("a prefix narrows a listing and a delimiter folds it") {
    const Box box;
    for (const char* name : {"a/1", "a/2", "a/b/3", "ab", "c/4"}) put_blob(box / name, "x");
    CHECK(all(list(box.name(), {{"prefix", "a"}}).body, "Name") == Names{"a/1", "a/2", "a/b/3", "ab"});
    const auto top = list(box.name(), {{"delimiter", "/"}});
    CHECK(all(top.body, "BlobPrefix") == Names{"<Name>a/</Name>", "<Name>c/</Name>"});
    CHECK(all(top.body, "Content-Length").size() == 1);
    const auto inner = list(box.name(), {{"delimiter", "/"}, {"prefix", "a/"}});
    CHECK(all(inner.body, "BlobPrefix") == Names{"<Name>a/b/</Name>"});
    CHECK(all(inner.body, "Content-Length").size() == 2);
}

TEST_CASE("a listing in pages gives every name once") {
    const Box box;
    Names names;
    for (int i = 0; i < 7; ++i) {
        names.push_back("blob" + std::to_string(i));
        put_blob(box / names.back(), "x");
    }
    Names seen;
    std::string marker;
    int pages = 0;
    do {
        Fields query = {{"maxresults", "3"}};
        if (!marker.empty()) query.emplace_back("marker", marker);
        const auto page = list(box.name(), query);
        for (const std::string& name : all(page.body, "Name")) seen.push_back(name);
        const auto next = all(page.body, "NextMarker");
        marker = next.empty() ? "" : next[0];
    } while (!marker.empty() && ++pages < 20);
    CHECK(seen == names);
    CHECK(pages >= 2);
    CHECK(list(box.name(), {{"maxresults", "0"}}).status == 400);
}

TEST_CASE("List Containers finds the account's containers by prefix") {
    const Box box;
    const auto page = service().get({.path = "", .query = {{"comp", "list"}, {"prefix", box.name()}}});
    REQUIRE(outcome(page) == "200 ");
    CHECK(all(page.body, "Name") == Names{box.name()});
    CHECK(all(page.body, "LeaseState") == Names{"available"});
}

}  // namespace azlock::conformance
