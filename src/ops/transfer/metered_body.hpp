// A request body that counts its bytes and limits their rate while they are sent.
#pragma once

#include <atomic>

#include "azure/pipeline.hpp"
#include "ops/transfer/progress.hpp"
#include "ops/transfer/rate_limit.hpp"

namespace azlock::ops {

// The counters and the rate limit of a command; each may be null.
struct Meter {
    Progress* progress = nullptr;
    RateLimit* limit = nullptr;
};

// The body of one request. `moving` grows when bytes are read for the first time (a repeated attempt counts no byte
// twice). It falls back when the body is destroyed or finish() is called. The rate applies to every byte that is read.
class MeteredBody final : public http::Body {
  public:
    // Bytes. Small enough that a stop is noticed soon and that connections alternate.
    static constexpr std::size_t kSlice = 32 * 1024;

    MeteredBody(std::shared_ptr<const http::Body> inner, const Meter& meter, azure::Call call);
    ~MeteredBody() override { finish(); }
    MeteredBody(const MeteredBody&) = delete;
    MeteredBody& operator=(const MeteredBody&) = delete;

    [[nodiscard]] std::uint64_t size() const override { return inner_->size(); }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    // With a rate limit, all bytes must be read through read_at().
    [[nodiscard]] std::optional<FilePart> file_part() const override {
        return meter_.limit == nullptr ? inner_->file_part() : std::nullopt;
    }
    void on_sent(std::uint64_t end) const override { count(end); }
    // The request is over, with or without success.
    void finish() const;

  private:
    void count(std::uint64_t reached) const;

    std::shared_ptr<const http::Body> inner_;
    Meter meter_;
    azure::Call call_;
    mutable std::atomic<std::uint64_t> counted_{0};
    mutable std::atomic<bool> finished_{false};
};

}  // namespace azlock::ops
