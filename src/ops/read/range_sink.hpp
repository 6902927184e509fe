// The bytes of one range of a blob.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "azure/responses.hpp"
#include "azure/types.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "ops/transfer/metered_body.hpp"

namespace azlock::ops {

// Collects the bytes of one range, and refuses any other range. Until they are delivered they count as moving. The rate
// applies to every byte that comes.
class RangeSink : public http::BodySink {
  public:
    RangeSink(std::uint64_t offset, std::uint64_t length, const Meter& meter = {}, azure::Call call = {})
        : offset_(offset), length_(length), meter_(meter), call_(std::move(call)) {}
    ~RangeSink() override { count(0); }
    RangeSink(const RangeSink&) = delete;
    RangeSink& operator=(const RangeSink&) = delete;

    [[nodiscard]] bool begin(const http::Response& head) override {
        bytes.clear();
        count(0);
        const auto range = azure::parse_content_range(head.headers.get("Content-Range"));
        return head.status == 206 && range && range->first == offset_;
    }
    [[nodiscard]] Status write(ByteView data) override {
        if (data.size() > length_ - bytes.size()) {
            return fail(ErrorCode::unavailable, "the service sent more than the range that was asked for");
        }
        while (!data.empty()) {
            const ByteView part = data.first(std::min(data.size(), MeteredBody::kSlice));
            if (meter_.limit != nullptr) {
                if (auto ok = meter_.limit->take(part.size(), call_.deadline, call_.stop); !ok) return ok;
            }
            bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
            count(bytes.size());
            data = data.subspan(part.size());
        }
        return {};
    }
    // The bytes have reached their target.
    void delivered() {
        if (meter_.progress != nullptr) meter_.progress->sent += moving_;
        count(0);
    }

    std::string bytes;

  private:
    void count(std::uint64_t moving) {
        if (meter_.progress == nullptr) return;
        Count& all = meter_.progress->moving;
        if (moving > moving_) {
            all += moving - moving_;
        } else {
            all -= moving_ - moving;
        }
        moving_ = moving;
    }

    std::uint64_t offset_;
    std::uint64_t length_;
    Meter meter_;
    azure::Call call_;
    std::uint64_t moving_ = 0;
};

[[nodiscard]] inline Error wrong_range(const azure::BlobAddress& blob) {
    Error error = make_error(ErrorCode::unavailable, "the service sent another range than azlock asked for");
    error.operation = "Get Blob";
    error.target = blob.to_string();
    return error;
}

}  // namespace azlock::ops
