// Blob requests made by hand and signed by the fake's own signer: nothing here comes from the client under test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "http/transport.hpp"
#include "support/fake_service.hpp"

namespace azlock::test {

// Where the account is. `base_path` is "/ACCOUNT" for path-style endpoints and empty otherwise.
struct Endpoint {
    http::Origin origin{false, "127.0.0.1", 10000};
    std::string base_path = std::string("/") + kFakeAccount;
    std::string account = kFakeAccount;
    std::string key = kFakeKey;
};

struct Ask {
    std::string path{};  // "container/blob", percent-encoded
    std::vector<std::pair<std::string, std::string>> query{};
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
};

// Sends with x-ms-version 2023-11-03 (a header of that name replaces it, an empty one removes it) and a signature.
class RawClient {
  public:
    RawClient(http::Transport& transport, const Clock& clock, Endpoint endpoint = {});

    [[nodiscard]] http::Request make(http::Method method, const Ask& ask) const;
    // Throws std::runtime_error if there is no answer.
    http::Response send(const http::Request& request) const;

    http::Response put(const Ask& ask) const { return send(make(http::Method::put, ask)); }
    http::Response get(const Ask& ask) const { return send(make(http::Method::get, ask)); }
    http::Response head(const Ask& ask) const { return send(make(http::Method::head, ask)); }
    http::Response del(const Ask& ask) const { return send(make(http::Method::del, ask)); }

    [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  private:
    http::Transport& transport_;
    const Clock& clock_;
    Endpoint endpoint_;
};

// "404 BlobNotFound", "201 ": status and service code in one, so that a failed comparison shows both.
[[nodiscard]] std::string outcome(const http::Response& response);

}  // namespace azlock::test
