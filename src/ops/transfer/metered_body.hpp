// A request body whose bytes are counted, and held to a rate, while they leave.
#pragma once

#include <atomic>
#include <memory>

#include "azure/pipeline.hpp"
#include "ops/transfer/progress.hpp"
#include "ops/transfer/rate_limit.hpp"

namespace azlock::ops {

// Where a command's bytes are counted and bounded; either may be missing.
struct Meter {
    Progress* progress = nullptr;
    RateLimit* limit = nullptr;
};

// One request's body. `moving` grows as bytes are read for the first time (a repeated attempt counts no byte twice) and
// falls back when the body is destroyed or settle() is called. Every byte that is read is held to the rate.
class MeteredBody final : public http::Body {
  public:
    MeteredBody(std::shared_ptr<const http::Body> inner, const Meter& meter, azure::Call call);
    ~MeteredBody() override { settle(); }
    MeteredBody(const MeteredBody&) = delete;
    MeteredBody& operator=(const MeteredBody&) = delete;

    [[nodiscard]] std::uint64_t size() const override { return inner_->size(); }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    // A rate can only be kept where the bytes are read.
    [[nodiscard]] std::optional<FilePart> file_part() const override {
        return meter_.limit == nullptr ? inner_->file_part() : std::nullopt;
    }
    void on_sent(std::uint64_t end) const override { count(end); }
    // The request is over, well or not.
    void settle() const;

  private:
    void count(std::uint64_t reached) const;

    std::shared_ptr<const http::Body> inner_;
    Meter meter_;
    azure::Call call_;
    mutable std::atomic<std::uint64_t> counted_{0};
    mutable std::atomic<bool> settled_{false};
};

}  // namespace azlock::ops
