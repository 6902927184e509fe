// The blocks that a blob holds, committed and staged, as far as an upload can use them (design 6.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "ops/upload/block_id.hpp"

namespace azlock::ops {

// Taken once by Get Block List; 56 bytes of memory for each block of ours.
class BlockInventory {
  public:
    struct Tally {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
    };

    // A blob that does not exist, and one without blocks, is an empty inventory.
    [[nodiscard]] static Result<BlockInventory> take(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                     const std::string& lease_id, const azure::Call& call);

    // True if naming this id as `Latest` in a commit gives the bytes that it stands for: it is there, and of the right
    // length in every list in which it appears.
    [[nodiscard]] bool holds(const BlockId& id) const;
    // True if these, in this order, are exactly the committed blocks.
    [[nodiscard]] bool commits(const std::vector<BlockId>& ids) const;
    // How the blocks were cut: as most of the staged ones, else as most of the committed ones.
    [[nodiscard]] std::optional<PlanTag> plan() const;

    [[nodiscard]] const Tally& committed() const { return committed_; }     // whoever committed them
    [[nodiscard]] const Tally& staged() const { return staged_; }           // ours
    [[nodiscard]] const Tally& foreign_staged() const { return foreign_; }  // somebody else's ids
    // There are staged ids of another length than ours: Put Block would be refused [blob-rest 3.2].
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

    std::vector<Entry> entries_;  // of ours, by id
    Tally committed_;
    Tally staged_;
    Tally foreign_;
    bool other_length_ = false;
};

}  // namespace azlock::ops
