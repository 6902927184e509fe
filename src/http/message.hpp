// HTTP requests and responses as plain values. Nothing here knows Azure or touches a socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/encoding.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace azlock::http {

enum class Method { get, head, put, post, del };
[[nodiscard]] std::string_view to_string(Method method);

// Header fields in the order in which they were set. Each name occurs once, whatever its case.
class Headers {
  public:
    using Field = std::pair<std::string, std::string>;

    // Replaces a field of the same name.
    void set(std::string_view name, std::string value);
    void remove(std::string_view name);
    [[nodiscard]] const std::string* find(std::string_view name) const;
    // The value, or "" if the field is absent.
    [[nodiscard]] std::string_view get(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    [[nodiscard]] auto begin() const { return fields_.begin(); }
    [[nodiscard]] auto end() const { return fields_.end(); }
    [[nodiscard]] std::size_t size() const { return fields_.size(); }

  private:
    std::vector<Field> fields_;
};

// A request body that can be read again from any position, so that an attempt can be repeated.
// read_at() may be called from another thread than the sender's, but never by two threads at once.
class Body {
  public:
    virtual ~Body() = default;
    // In bytes; fixed for the life of the object. It becomes Content-Length.
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    // Fills `out` from `offset` on and returns the number of bytes: out.size(), or fewer only at the end. An error ends
    // the attempt; send() returns it with TransportFault::local_body.
    [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;

    // If the body is just a part of an open file: which part. It may then be sent without read_at().
    struct FilePart {
        int fd = -1;  // stays open as long as the body lives
        std::uint64_t offset = 0;
    };
    [[nodiscard]] virtual std::optional<FilePart> file_part() const { return std::nullopt; }
    // Called when a part of a file is sent in this way: all bytes up to `end` have been handed to the connection.
    virtual void on_sent(std::uint64_t /*end*/) const {}
};

// A body that owns its bytes.
[[nodiscard]] std::shared_ptr<const Body> make_body(std::string bytes);

struct Response;

// Receives the body of an answer while it arrives. send() borrows it, calls it from one thread at a time (not always
// the caller's) and never calls it after it has returned.
class BodySink {
  public:
    virtual ~BodySink() = default;
    // Called with status and headers before any byte, for every answer. False: collect the body in Response::body as
    // usual (error answers). It may be called again with a new answer if the transport repeats a request. The bytes
    // that were written before are then void.
    [[nodiscard]] virtual bool begin(const Response& head) = 0;
    // An error ends the attempt; send() returns it with TransportFault::local_body.
    [[nodiscard]] virtual Status write(ByteView data) = 0;
};

// True for an IPv4 or IPv6 address (without brackets).
[[nodiscard]] bool is_ip_address(std::string_view host);

// Scheme, host and port. `host` is a DNS name, an IPv4 address or an IPv6 address without brackets.
struct Origin {
    bool tls = true;
    std::string host;
    std::uint16_t port = 443;

    // "https://example.net", "http://[::1]:10000". The port is there only if it is not the default of the scheme.
    [[nodiscard]] std::string to_string() const;
    // The value of the Host header.
    [[nodiscard]] std::string authority() const;
    friend bool operator==(const Origin&, const Origin&) = default;
};

struct Request {
    Method method = Method::get;
    Origin origin;
    std::string path = "/";                                  // percent-encoded exactly as it goes onto the wire
    std::vector<std::pair<std::string, std::string>> query;  // decoded names and values, in wire order
    Secret secret_query;                                     // a SAS, appended unchanged ("sv=...&sig=...")
    Headers headers;                                         // without Host and Content-Length
    std::shared_ptr<const Body> body;                        // null: none (PUT and POST send Content-Length: 0)
    BodySink* sink = nullptr;                                // null: the body is collected in Response::body
    bool past_proxy = false;                                 // connect directly, whatever the proxy settings say
    // The attempt ends with a timeout if the body, or an answer that has begun, moves no byte for this long. 0: no
    // limit. Waiting for the first byte of the answer, after the server has got everything, is not a stall.
    std::chrono::milliseconds stall_timeout{0};
    // The attempt ends with a timeout if no byte moves in either direction for this long, also while it waits for the
    // answer. 0: no limit. An attempt whose bytes move is limited by the deadline alone.
    std::chrono::milliseconds quiet_timeout{0};
    // The attempt ends with a timeout as soon as it is clear that the body will take longer than this. 0: no limit.
    std::chrono::milliseconds longest_send{0};

    [[nodiscard]] std::uint64_t content_length() const { return body ? body->size() : 0; }
    // Path and query as they are sent, with the secret part.
    [[nodiscard]] std::string wire_target() const;
    // The same with the secret part's signature masked: for logs and errors.
    [[nodiscard]] std::string loggable_target() const;
};

struct Response {
    int status = 0;
    Headers headers;
    std::string body;  // empty if a sink took it
    // How many times the transport sent this request to get this answer (1, or 2 after a stale pooled connection). If
    // 2, the first copy may have been carried out too.
    int times_sent = 1;
    // The server answered before it had read the whole request body.
    bool early = false;
};

}  // namespace azlock::http
