// Where the blocks of an upload come from: a file that is cut by a plan, or a stream that is read as it comes.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "http/message.hpp"
#include "ops/files/source_file.hpp"
#include "ops/upload/block_id.hpp"

namespace azlock::ops {

struct FeedBlock {
    std::uint64_t offset = 0;
    std::shared_ptr<const http::Body> body;
    PlanTag plan;
};

// Blocks in order. One caller at a time.
class BlockFeed {
  public:
    virtual ~BlockFeed() = default;
    // nullopt: that was all.
    [[nodiscard]] virtual Result<std::optional<FeedBlock>> next(const std::stop_token& stop) = 0;
    // The bytes of an earlier block once more; null where they are gone. Any thread.
    [[nodiscard]] virtual std::shared_ptr<const http::Body> again(std::uint64_t offset, std::uint64_t length) const = 0;
    // ErrorCode::data where the source is not what it was when it was opened. Any thread.
    [[nodiscard]] virtual Status check_unchanged() const = 0;
};

// A plan that the file fits is taken as it is. Error (usage): it would need more than 50,000 blocks.
[[nodiscard]] Result<std::unique_ptr<BlockFeed>> make_file_feed(std::shared_ptr<const SourceFile> source, PlanTag plan);

// True if a file of this size can be cut that way.
[[nodiscard]] bool plan_fits(PlanTag plan, std::uint64_t file_size);

}  // namespace azlock::ops
