// Reads blocks from a stream of unknown length and holds them in bounded memory while they are sent.
#pragma once

#include "ops/upload/block_source.hpp"

namespace azlock::ops {

struct StreamPlan {
    std::uint64_t block_size = 0;  // of the first blocks, bytes
    bool grows = true;             // doubles every 10,000 blocks while memory allows, so that 50,000 blocks hold more
    HashKind hash = HashKind::sha256;
    std::uint64_t memory = 0;  // bytes for all buffers together, at least one block
    bool sha256 = false;       // compute the sum of the whole content
    bool md5 = false;
};

// Size in bytes of block `n` (from 0). It is never more than `memory`.
[[nodiscard]] std::uint64_t stream_block_size(const StreamPlan& plan, std::uint64_t n);

class StreamBlocks final : public BlockSource {
  public:
    // The caller keeps and closes `fd`; `name` is for messages.
    StreamBlocks(int fd, std::string name, const StreamPlan& plan);

    // To be called before next(): returns the whole content if it is at most one block, else nullopt.
    [[nodiscard]] Result<std::optional<SourceBlock>> whole(const std::stop_token& stop);

    // Waits for memory and for input. Error (usage): more than 50,000 blocks.
    [[nodiscard]] Result<std::optional<SourceBlock>> next(const std::stop_token& stop) override;
    [[nodiscard]] std::shared_ptr<const http::Body> again(std::uint64_t, std::uint64_t) const override {
        return nullptr;
    }
    [[nodiscard]] Status check_unchanged() const override { return {}; }

    // About the bytes that were read so far. Each sum may be asked for once, after the end.
    [[nodiscard]] std::uint64_t size() const { return offset_; }
    [[nodiscard]] Sha256Sum sha256() { return sha256_.finish(); }
    [[nodiscard]] Md5Sum md5() { return md5_.finish(); }

  private:
    class Buffer;
    struct Budget;
    struct Unmap;
    using Pages = std::unique_ptr<std::byte, Unmap>;
    [[nodiscard]] Result<std::optional<SourceBlock>> read_block(const std::stop_token& stop);
    [[nodiscard]] Result<std::size_t> fill(std::span<std::byte> out, const std::stop_token& stop);

    int fd_;
    std::string name_;
    StreamPlan plan_;
    std::shared_ptr<Budget> budget_;
    std::uint64_t index_ = 0;
    std::uint64_t offset_ = 0;
    bool at_end_ = false;
    std::optional<SourceBlock> first_;  // read by whole()
    std::optional<std::byte> ahead_;    // read to find out whether the first block was all
    Sha256 sha256_;
    Md5 md5_;
};

}  // namespace azlock::ops
