// Stages the blocks of a source in parallel: hashes each block, then reuses it, or sends it with the id and checksum of
// the same pass.
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

// Stages the blocks of one source for one blob. The same content always gets the same ids.
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
    [[nodiscard]] const std::vector<BlockId>& ids() const { return ids_; }
    [[nodiscard]] StageTally tally() const;

  private:
    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        bool sent = false;  // at least once
    };
    [[nodiscard]] Result<bool> stage_next(const azure::Call& call);
    [[nodiscard]] Status stage_one(std::size_t index, const SourceBlock& block, const azure::Call& call);
    [[nodiscard]] BlockId id_for(std::size_t index, const SourceBlock& block, const Sha256Sum& hash);

    azure::BlobClient& client_;
    azure::BlobAddress blob_;
    BlockSource& block_source_;
    BlockInventory present_;
    ConcurrencyLimit& concurrency_;
    StageOptions options_;
    std::atomic<azure::Checksum::Kind> checksum_kind_;
    std::mutex source_mutex_;   // one caller at a time for the block_source
    mutable std::mutex mutex_;  // protects the members below
    std::vector<BlockId> ids_;  // one for each block; length 0 until it is known
    std::vector<Place> places_;
    std::map<Sha256Sum, std::uint32_t> occurrences_;
    StageTally tally_;
};

}  // namespace azlock::ops
