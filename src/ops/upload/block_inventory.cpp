#include "ops/upload/block_inventory.hpp"

#include <algorithm>
#include <bit>

#include "azure/refusals.hpp"
#include "ops/transfer/concurrency_limit.hpp"

namespace azlock::ops {

namespace {

// Pieces are powers of two. The end of a file can look like one; then an upload only looks for more of them.
bool is_piece(const BlockId& id) {
    const std::uint64_t length = id.length;
    if (length < ConcurrencyLimit::kSmallestPiece || !std::has_single_bit(length)) return false;
    return length < id.plan.size() || (length == id.plan.size() && id.plan.cut() == CutKind::content);
}

}  // namespace

void BlockInventory::add(const azure::Block& block) {
    const auto id = BlockId::decode(block.id);
    if (id) {
        const auto position = block.committed ? static_cast<std::uint32_t>(committed_.blocks) : kStaged;
        entries_.push_back({*id, position, id->length == block.size});
        lengths_.insert(id->length);
        if (is_piece(*id)) {
            pieces_ = true;
            staged_pieces_ = staged_pieces_ || !block.committed;
        }
    }
    Tally& tally = block.committed ? committed_ : id ? staged_ : foreign_;
    ++tally.blocks;
    tally.bytes += block.size;
    if (!block.committed && block.id.size() != BlockId::kEncodedLength) other_length_ = true;
}

Result<BlockInventory> BlockInventory::take(azure::BlobClient& client, const azure::BlobAddress& blob,
                                            const std::string& lease_id, const azure::Call& call) {
    BlockInventory inventory;
    auto listed = client.get_block_list(
        blob, azure::BlockListType::all, lease_id, [&](const azure::Block& block) { inventory.add(block); },
        [&] { inventory = {}; }, call);
    if (!listed && !azure::is_missing_blob(listed.error())) return fail(listed.error());
    std::sort(inventory.entries_.begin(), inventory.entries_.end(),
              [](const Entry& a, const Entry& b) { return a.id < b.id; });
    return inventory;
}

std::vector<BlockInventory::Entry>::const_iterator BlockInventory::first(const BlockId& id) const {
    return std::lower_bound(entries_.begin(), entries_.end(), id,
                            [](const Entry& entry, const BlockId& wanted) { return entry.id < wanted; });
}

bool BlockInventory::holds(const BlockId& id) const {
    auto at = first(id);
    if (at == entries_.end() || at->id != id) return false;
    for (; at != entries_.end() && at->id == id; ++at) {
        if (!at->right) return false;
    }
    return true;
}

bool BlockInventory::commits(const std::vector<BlockId>& ids) const {
    if (ids.size() != committed_.blocks) return false;
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
        auto at = first(ids[i]);
        while (at != entries_.end() && at->id == ids[i] && at->position != i) ++at;
        if (at == entries_.end() || at->id != ids[i] || !at->right) return false;
    }
    return true;
}

std::optional<PlanTag> BlockInventory::plan() const {
    for (const bool committed : {false, true}) {
        std::map<PlanTag, std::size_t> votes;
        for (const Entry& entry : entries_) {
            if ((entry.position != kStaged) == committed && entry.id.plan.known()) ++votes[entry.id.plan];
        }
        const auto most = std::max_element(votes.begin(), votes.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most != votes.end()) return most->first;
    }
    return std::nullopt;
}

}  // namespace azlock::ops
