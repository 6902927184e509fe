// Gives the blocks of an upload: from a file that is cut by a plan, or from a stream that is read as it comes.
#pragma once

#include <stop_token>

#include "http/message.hpp"
#include "ops/files/source_file.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

struct SourceBlock {
    std::uint64_t offset = 0;
    std::shared_ptr<const http::Body> body;
    PlanTag plan;
};

// Gives blocks in order. One caller at a time.
class BlockSource {
  public:
    virtual ~BlockSource() = default;
    // nullopt: there are no more blocks.
    [[nodiscard]] virtual Result<std::optional<SourceBlock>> next(const std::stop_token& stop) = 0;
    // The bytes of an earlier block again; null if they are gone. Any thread may call it.
    [[nodiscard]] virtual std::shared_ptr<const http::Body> again(std::uint64_t offset, std::uint64_t length) const = 0;
    // A block may be sent in pieces. Only the last piece of a block may be shorter than this. 0: blocks stay whole.
    [[nodiscard]] virtual std::uint64_t smallest_piece() const { return 0; }
    // Error (data): the source has changed since it was opened. Any thread may call it.
    [[nodiscard]] virtual Status check_unchanged() const = 0;
};

// Cuts the file by `plan`. `divisible`: its blocks may be sent in pieces. Error (usage): plan_fits() is false.
[[nodiscard]] Result<std::unique_ptr<BlockSource>> make_file_blocks(std::shared_ptr<const SourceFile> source,
                                                                    PlanTag plan, bool divisible = true);

// True if a file of this size can be cut by this plan.
[[nodiscard]] bool plan_fits(PlanTag plan, std::uint64_t file_size);

}  // namespace azlock::ops
