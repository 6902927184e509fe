// Containers for the test cases, and the requests that they share.
#include "base/random.hpp"
#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

Fields with(Fields first, const Fields& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

}  // namespace

std::string fresh_name() {
    static SystemRandom random;
    return "conformance-" + random.uuid();
}

Box::Box() : name_(fresh_name()) {
    const auto made = service().put({.path = name_, .query = {{"restype", "container"}}});
    REQUIRE(outcome(made) == "201 ");
}

Box::~Box() {
    try {
        service().del({.path = name_, .query = {{"restype", "container"}}});
    } catch (const std::exception&) {  // the case has its result already
    }
}

http::Response put_blob(const std::string& path, const std::string& content, const Fields& headers) {
    return service().put({.path = path, .headers = with({{"x-ms-blob-type", "BlockBlob"}}, headers), .body = content});
}

http::Response put_append_blob(const std::string& path, const Fields& headers) {
    return service().put({.path = path, .headers = with({{"x-ms-blob-type", "AppendBlob"}}, headers)});
}

http::Response append(const std::string& path, const std::string& content, const Fields& headers) {
    return service().put({.path = path, .query = {{"comp", "appendblock"}}, .headers = headers, .body = content});
}

http::Response stage(const std::string& path, const std::string& id, const std::string& content,
                     const Fields& headers) {
    return service().put(
        {.path = path, .query = {{"comp", "block"}, {"blockid", id}}, .headers = headers, .body = content});
}

http::Response commit(const std::string& path, const std::string& entries, const Fields& headers) {
    return service().put({.path = path,
                          .query = {{"comp", "blocklist"}},
                          .headers = headers,
                          .body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>" + entries + "</BlockList>"});
}

http::Response block_list(const std::string& path, const std::string& type, const Fields& headers) {
    return service().get({.path = path, .query = {{"comp", "blocklist"}, {"blocklisttype", type}}, .headers = headers});
}

http::Response set_metadata(const std::string& path, const Fields& headers) {
    return service().put({.path = path, .query = {{"comp", "metadata"}}, .headers = headers});
}

http::Response get(const std::string& path, const Fields& headers) {
    return service().get({.path = path, .headers = headers});
}

http::Response head(const std::string& path, const Fields& headers) {
    return service().head({.path = path, .headers = headers});
}

http::Response del(const std::string& path, const Fields& headers) {
    return service().del({.path = path, .headers = headers});
}

http::Response lease(const std::string& path, const Fields& headers, bool container) {
    Fields query = {{"comp", "lease"}};
    if (container) query.emplace_back("restype", "container");
    return service().put({.path = path, .query = query, .headers = headers});
}

http::Response acquire(const std::string& path, const std::string& id, const std::string& seconds, bool container) {
    Fields headers = {{"x-ms-lease-action", "acquire"}, {"x-ms-lease-duration", seconds}};
    if (!id.empty()) headers.emplace_back("x-ms-proposed-lease-id", id);
    return lease(path, headers, container);
}

std::string header(const http::Response& response, std::string_view name) {
    return std::string(response.headers.get(name));
}

std::string etag_of(const std::string& path) {
    return header(head(path), "ETag");
}

}  // namespace azlock::conformance
