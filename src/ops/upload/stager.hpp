// Stages the blocks of a source in parallel: hashes each block, then reuses it, or sends it with the id and checksum
// that were made from the same read.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "ops/transfer/concurrency_limit.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/upload/block_inventory.hpp"
#include "ops/upload/block_source.hpp"

namespace azlock::ops {

struct StageOptions {
    std::string lease_id;
    std::size_t threads = 4;  // as many of them work at once as the ConcurrencyLimit allows
    Meter meter;
    bool send = true;  // false: only find out what would be reused
};

// Each block counts once, even if it was sent several times.
struct StageTally {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sent_blocks = 0;
    std::uint64_t sent_bytes = 0;
    [[nodiscard]] std::uint64_t reused_blocks() const { return blocks - sent_blocks; }
};

// Stages the blocks of one source for one blob. The same content always gets the same ids. On a slow line a block goes
// out in pieces, one after the other, so that what was sent is staged even if the process is killed. The pieces are cut
// at multiples of powers of two, and are found again by their lengths.
class Stager {
  public:
    // `present`: the blocks that the blob has; they are not sent. The references must outlive the stager.
    Stager(azure::BlobClient& client, azure::BlobAddress blob, BlockSource& block_source, BlockInventory present,
           ConcurrencyLimit& concurrency, StageOptions options);

    // Stages all blocks of the source. After an error, blocks that were staged stay staged.
    [[nodiscard]] Status stage_all(const azure::Call& call);
    // To be called after somebody else's commit dropped staged blocks: lists the blocks and stages the missing ones
    // again. Error (unavailable): the source cannot give them again.
    [[nodiscard]] Status stage_missing(const azure::Call& call);
    // The ids for the commit, complete after stage_all().
    [[nodiscard]] std::vector<BlockId> ids() const;
    [[nodiscard]] StageTally tally() const;

  private:
    struct Place {
        std::uint64_t length = 0;
        BlockId id;         // length 0 until it is known
        bool sent = false;  // at least once
    };
    enum class Staged { yes, absent, too_slow };
    enum class How { only_look, as_piece, as_block };  // only_look: nothing is sent
    using Pass = ConcurrencyLimit::Pass;
    [[nodiscard]] Result<bool> stage_next(const azure::Call& call);
    [[nodiscard]] Status stage_block(const SourceBlock& block, Pass pass, const azure::Call& call);
    [[nodiscard]] Status stage_pieces(const SourceBlock& block, Pass pass, const azure::Call& call);
    [[nodiscard]] Result<Staged> stage_one(const SourceBlock& block, How how, const azure::Call& call);
    // The piece of `block` at `offset` with this length; it takes its place in the commit.
    [[nodiscard]] SourceBlock piece(const SourceBlock& block, std::uint64_t offset, std::uint64_t length);
    [[nodiscard]] BlockId id_for(const SourceBlock& block, const Sha256Sum& hash);
    [[nodiscard]] azure::Call bounded(azure::Call call, std::uint64_t length) const;

    azure::BlobClient& client_;
    azure::BlobAddress blob_;
    BlockSource& block_source_;
    BlockInventory present_;
    ConcurrencyLimit& concurrency_;
    StageOptions options_;
    std::atomic<azure::Checksum::Kind> checksum_kind_;
    bool has_pieces_;
    std::mutex source_mutex_;                // one caller at a time for the block_source
    mutable std::mutex mutex_;               // protects the members below
    std::map<std::uint64_t, Place> places_;  // by offset in the source: a block, or a piece of one
    std::map<Sha256Sum, std::uint32_t> occurrences_;
    StageTally tally_;
};

}  // namespace azlock::ops
