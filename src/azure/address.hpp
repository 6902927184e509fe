// Addresses: the service endpoint, and the containers and blobs in it. Names are kept decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// A Blob service endpoint. The base path is empty in host style ("https://ACCOUNT.blob.SUFFIX") and "/ACCOUNT" in path
// style (emulator, IP hosts).
struct Endpoint {
    http::Origin origin;
    std::string base_path;  // percent-encoded, "" or "/x", never ending in '/'
    std::string account;    // for signing; may be empty with anonymous access to a custom domain

    // "https://acct.blob.core.windows.net", "http://127.0.0.1:10000/devstoreaccount1"
    [[nodiscard]] std::string to_string() const;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// Reads an endpoint URL without a container. The account is the only segment of the path if there is one, else the
// first label of the host. Error: config.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view url);

// "https://ACCOUNT.blob.SUFFIX"
[[nodiscard]] Endpoint default_endpoint(std::string_view account, std::string_view suffix = "core.windows.net",
                                        bool tls = true);

// True for 127.0.0.0/8, ::1, "localhost" and names that end in ".localhost": a secret sent there stays on this machine.
[[nodiscard]] bool is_loopback(const http::Origin& origin);

struct BlobAddress {
    std::string container;
    std::string blob;         // empty: the container itself
    std::string snapshot;     // the service's opaque time stamp, empty: the base blob
    bool unfinished = false;  // written as "CONTAINER/": perhaps the variable for the blob's name is empty

    [[nodiscard]] bool is_container() const { return blob.empty(); }
    // Error (usage): it is a container.
    [[nodiscard]] Status must_be_blob() const;
    // Error (usage): it is written as "CONTAINER/", where a container and a blob are different things.
    [[nodiscard]] Status must_be_one_or_other() const;
    // Error (usage): it is a snapshot. `done`: what cannot be done to it, as "written".
    [[nodiscard]] Status must_not_be_snapshot(const char* done) const;
    // "container/blob", for messages.
    [[nodiscard]] std::string to_string() const;
    friend bool operator==(const BlobAddress&, const BlobAddress&) = default;
};

// The parts of a TARGET argument.
struct Target {
    std::optional<Endpoint> endpoint;  // only if the TARGET was a URL
    BlobAddress address;
    Secret sas;  // from the URL's query
};

// Which blob names a TARGET may have: those that the service keeps as they are, or any that a listing can have.
enum class Names { kept, listed };

// Reads `https://...`, a path-style URL, `az://CONTAINER[/BLOB]` or `CONTAINER[/BLOB]`. Names are
// percent-encoded in URLs and taken literally elsewhere. If a URL begins with the endpoint `configured`, this decides
// where its path is cut. Else the first path segment is the account if the host is an IP address or has no dot. Checks
// the names against the rules of the service. Error: usage, with no secret in it.
[[nodiscard]] Result<Target> parse_target(std::string_view text, const std::optional<Endpoint>& configured = {},
                                          Names names = Names::kept);

// The percent-encoded path of a container or blob below the endpoint. The segments "." and ".." are encoded, too:
// nobody on the way shall shorten the path.
[[nodiscard]] std::string path_of(const Endpoint& endpoint, const BlobAddress& address);

}  // namespace azlock::azure
