// Just enough of the Blob service for uploads: it keeps the sizes of blocks and blobs, never their bytes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "support/wire_server.hpp"

namespace azlock::bench {

struct SinkReply {
    int status = 200;
    std::string headers;  // whole lines, each ended by CRLF
    std::string body;
    bool length_only = false;  // HEAD: `body_length` is sent as the length, but no body
    std::uint64_t body_length = 0;
};

// Thread-safe. Signatures, conditions and checksums are not checked.
class SinkBlobs {
  public:
    // True if answer() needs the request's body.
    [[nodiscard]] static bool wants_body(const test::WireRequest& request);
    [[nodiscard]] SinkReply answer(const test::WireRequest& request, std::string_view body);
    // {"requests": N, "bytes": N, "committed_blobs": N, "committed_bytes": N, "operations": {"Put Block": N, ...}}
    [[nodiscard]] std::string report();

  private:
    struct Blob {
        bool committed = false;
        std::uint64_t size = 0;
        std::map<std::string, std::uint64_t> staged;
        std::map<std::string, std::uint64_t> blocks;
    };
    SinkReply dispatch(const test::WireRequest& request, std::string_view body);
    SinkReply commit(Blob& blob, std::string_view xml);
    SinkReply created();

    std::mutex mutex_;
    std::map<std::string, Blob> blobs_;  // by path
    std::map<std::string, std::uint64_t> operations_;
    std::uint64_t bytes_ = 0;
    std::uint64_t versions_ = 0;
};

}  // namespace azlock::bench
