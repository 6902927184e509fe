#include "ops/append/compare.hpp"

#include <algorithm>

namespace azlock::ops {
namespace {

class ComparingSink final : public http::BodySink {
  public:
    explicit ComparingSink(const http::Body& expected) : expected_(expected) {}

    [[nodiscard]] bool begin(const http::Response&) override {
        at_ = 0;
        same_ = true;
        return true;
    }
    [[nodiscard]] Status write(ByteView data) override {
        if (!same_) return {};
        buffer_.resize(data.size());
        const auto got = expected_.read_at(at_, buffer_);
        if (!got) return fail(got.error());
        same_ = *got == data.size() && std::equal(data.begin(), data.end(), buffer_.begin());
        at_ += data.size();
        return {};
    }
    [[nodiscard]] bool same(std::uint64_t size) const { return same_ && at_ == size; }

  private:
    const http::Body& expected_;
    std::vector<std::byte> buffer_;
    std::uint64_t at_ = 0;
    bool same_ = true;
};

}  // namespace

Result<bool> blob_holds(azure::BlobClient& client, const azure::BlobAddress& blob, std::uint64_t offset,
                        const http::Body& expected, std::uint64_t size, const std::string& etag,
                        const azure::Call& call) {
    if (size == 0) return true;
    ComparingSink sink(expected);
    azure::Conditions conditions;
    conditions.if_match = etag;
    const auto read = client.get_blob(blob, azure::ByteRange{offset, size}, conditions, sink, call);
    if (read) return sink.same(size);
    if (read.error().http_status == 416) return false;
    return fail(read.error());
}

}  // namespace azlock::ops
