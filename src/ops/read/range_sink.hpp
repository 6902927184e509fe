// The bytes of one range of a blob.
#pragma once

#include <cstdint>
#include <string>

#include "azure/responses.hpp"
#include "azure/types.hpp"
#include "base/error.hpp"
#include "http/message.hpp"

namespace azlock::ops {

// Collects the bytes of one range, and refuses any other range.
class RangeSink : public http::BodySink {
  public:
    RangeSink(std::uint64_t offset, std::uint64_t length) : offset_(offset), length_(length) {}

    [[nodiscard]] bool begin(const http::Response& head) override {
        bytes.clear();
        const auto range = azure::parse_content_range(head.headers.get("Content-Range"));
        return head.status == 206 && range && range->first == offset_;
    }
    [[nodiscard]] Status write(ByteView data) override {
        if (data.size() > length_ - bytes.size()) {
            return fail(ErrorCode::unavailable, "the service sent more than the range that was asked for");
        }
        bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }

    std::string bytes;

  private:
    std::uint64_t offset_;
    std::uint64_t length_;
};

[[nodiscard]] inline Error wrong_range(const azure::BlobAddress& blob) {
    Error error = make_error(ErrorCode::unavailable, "the service sent another range than azlock asked for");
    error.operation = "Get Blob";
    error.target = blob.to_string();
    return error;
}

}  // namespace azlock::ops
