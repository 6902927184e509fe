// Lists the blocks of a blob, committed and staged, so that an upload can reuse them (docs/upload.md).
#pragma once

#include <set>

#include "azure/client.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

// Read once by Get Block List. Needs 56 bytes of memory for each block with an id of azlock, and about 40
// for each different length.
class BlockInventory {
  public:
    struct Tally {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
    };

    // The inventory is empty if the blob does not exist or has no blocks.
    [[nodiscard]] static Result<BlockInventory> take(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                     const std::string& lease_id, const azure::Call& call);

    // True if a commit that names this id as `Latest` gets the right bytes: the id exists, and it has the right length
    // in every list that contains it.
    [[nodiscard]] bool holds(const BlockId& id) const;
    // True if these ids, in this order, are exactly the committed blocks.
    [[nodiscard]] bool commits(const std::vector<BlockId>& ids) const;
    // True if a block of azlock has this length.
    [[nodiscard]] bool has_length(std::uint64_t length) const { return lengths_.contains(length); }
    // True if blocks are there whose length comes from a slow line (Stager) and not from their plan.
    [[nodiscard]] bool has_pieces() const { return pieces_; }
    // True if such pieces are staged: the run that was interrupted had a slow line.
    [[nodiscard]] bool has_staged_pieces() const { return staged_pieces_; }
    // The most common plan of the staged blocks, else of the committed blocks; nullopt if no block has a known plan.
    [[nodiscard]] std::optional<PlanTag> plan() const;

    [[nodiscard]] const Tally& committed() const { return committed_; }     // by any tool
    [[nodiscard]] const Tally& staged() const { return staged_; }           // by azlock
    [[nodiscard]] const Tally& foreign_staged() const { return foreign_; }  // by other tools
    // True if there are staged ids of another length than ours: the service would refuse our Put Block [Put Block].
    [[nodiscard]] bool hinders_ours() const { return other_length_; }

  private:
    static constexpr std::uint32_t kStaged = 0xFFFFFFFFU;
    struct Entry {
        BlockId id;
        std::uint32_t position = kStaged;  // in the committed list
        bool right = false;
    };
    void add(const azure::Block& block);
    [[nodiscard]] std::vector<Entry>::const_iterator first(const BlockId& id) const;

    std::vector<Entry> entries_;  // blocks with ids of azlock, sorted by id
    std::set<std::uint64_t> lengths_;
    Tally committed_;
    Tally staged_;
    Tally foreign_;
    bool other_length_ = false;
    bool pieces_ = false;
    bool staged_pieces_ = false;
};

}  // namespace azlock::ops
