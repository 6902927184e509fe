#include "ops/upload/block_source.hpp"

#include <algorithm>
#include <bit>

#include "ops/transfer/concurrency_limit.hpp"
#include "ops/upload/content_cut.hpp"

namespace azlock::ops {
namespace {

CutSizes cuts_of(PlanTag plan) {
    return cut_sizes_of_step(static_cast<unsigned>(std::bit_width(plan.size()) - 1));
}

std::uint64_t fixed_block_count(PlanTag plan, std::uint64_t file_size) {
    return file_size / plan.size() + (file_size % plan.size() == 0 ? 0 : 1);
}

// The blocks and their pieces together must not be too many.
std::uint64_t piece_of(PlanTag plan, std::uint64_t file_size) {
    constexpr std::uint64_t kHalf = kMaxBlocks / 2;
    if (fixed_block_count(plan, file_size) > kHalf) return 0;
    return std::max(ConcurrencyLimit::kSmallestPiece, std::bit_ceil(file_size / kHalf));
}

// Cuts with the cutter, or at multiples of the plan's size if there is none.
class FileBlocks final : public BlockSource {
  public:
    FileBlocks(std::shared_ptr<const SourceFile> source, PlanTag plan, bool divisible)
        : source_(std::move(source)), plan_(plan), smallest_piece_(divisible ? piece_of(plan, source_->size()) : 0) {
        if (plan.cut() == CutKind::fixed) return;
        cutter_.emplace(cuts_of(plan), source_->size(),
                        [this](std::uint64_t offset, std::span<std::byte> out) { return source_->read(offset, out); });
    }

    [[nodiscard]] Result<std::optional<SourceBlock>> next(const std::stop_token& /*stop*/) override {
        const auto range = cutter_ ? cutter_->next() : next_fixed();
        if (!range) return fail(range.error());
        if (!*range) return std::optional<SourceBlock>();
        return std::optional(SourceBlock{(*range)->offset, again((*range)->offset, (*range)->length), plan_});
    }
    [[nodiscard]] std::shared_ptr<const http::Body> again(std::uint64_t offset, std::uint64_t length) const override {
        return source_->region(offset, length);
    }
    [[nodiscard]] std::uint64_t smallest_piece() const override { return smallest_piece_; }
    [[nodiscard]] Status check_unchanged() const override { return source_->check_unchanged(); }

  private:
    [[nodiscard]] Result<std::optional<BlockRange>> next_fixed() {
        if (offset_ == source_->size()) return std::nullopt;
        const BlockRange range{offset_, std::min(plan_.size(), source_->size() - offset_)};
        offset_ += range.length;
        return range;
    }

    std::shared_ptr<const SourceFile> source_;
    PlanTag plan_;
    std::uint64_t smallest_piece_;
    std::optional<ContentCutter> cutter_;
    std::uint64_t offset_ = 0;
};

}  // namespace

bool plan_fits(PlanTag plan, std::uint64_t file_size) {
    if (plan.size() > kMaxBlockSize) return false;
    if (plan.cut() == CutKind::fixed) return fixed_block_count(plan, file_size) <= kMaxBlocks;
    return std::has_single_bit(plan.size()) && plan.size() >= cut_sizes(file_size).minimum;
}

Result<std::unique_ptr<BlockSource>> make_file_blocks(std::shared_ptr<const SourceFile> source, PlanTag plan,
                                                      bool divisible) {
    if (!plan_fits(plan, source->size())) {
        return fail(ErrorCode::usage,
                    "'" + source->path() + "' needs " + std::to_string(fixed_block_count(plan, source->size())) +
                        " blocks; a blob holds at most 50,000",
                    "use larger blocks, or leave out --block-size");
    }
    return std::make_unique<FileBlocks>(std::move(source), plan, divisible);
}

}  // namespace azlock::ops
