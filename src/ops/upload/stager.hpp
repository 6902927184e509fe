// Stages the blocks of a source in parallel: hash a block, then reuse it or send it under the id and checksum of that
// very pass.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "ops/transfer/concurrency_limit.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/upload/block_inventory.hpp"
#include "ops/upload/block_source.hpp"

namespace azlock::ops {

struct StageOptions {
    std::string lease_id;
    std::size_t threads = 4;  // of which as many work at once as the gate lets in
    Meter meter;
    bool send = true;  // false: only see what would be reused
};

// Each block counts once, however often it had to be sent.
struct StageTally {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sent_blocks = 0;
    std::uint64_t sent_bytes = 0;
    [[nodiscard]] std::uint64_t reused_blocks() const { return blocks - sent_blocks; }
    [[nodiscard]] std::uint64_t reused_bytes() const { return bytes - sent_bytes; }
};

// A refused Put Block in other words, where its reason is known to be foreign staged blocks.
[[nodiscard]] Error explain_put_block(Error error);

// One source's way into the blocks of one blob. The same bytes always get the same ids.
class Stager {
  public:
    // `present` is what the blob holds: those blocks are not sent. Gate, feed and client are borrowed.
    Stager(azure::BlobClient& client, azure::BlobAddress blob, BlockFeed& feed, BlockInventory present, Gate& gate,
           StageOptions options);

    // Takes all blocks of the feed. On an error what is staged stays staged.
    [[nodiscard]] Status stage_all(const azure::Call& call);
    // After somebody's commit discarded staged blocks: asks what is there and stages what is missing. Error
    // (unavailable) where the feed cannot give it once more.
    [[nodiscard]] Status stage_missing(const azure::Call& call);
    // The committed list-to-be, complete after stage_all().
    [[nodiscard]] const std::vector<BlockId>& ids() const { return ids_; }
    [[nodiscard]] StageTally tally() const;

  private:
    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        bool sent = false;  // at least once
    };
    [[nodiscard]] Result<bool> stage_next(const azure::Call& call);
    [[nodiscard]] Status stage_one(std::size_t index, const FeedBlock& block, const azure::Call& call);
    [[nodiscard]] Status send(const std::string& id, const FeedBlock& block, const azure::Checksum& checksum,
                              const azure::Call& call);
    [[nodiscard]] BlockId id_for(std::size_t index, const FeedBlock& block, const Sha256Sum& hash);

    azure::BlobClient& client_;
    azure::BlobAddress blob_;
    BlockFeed& feed_;
    BlockInventory present_;
    Gate& gate_;
    StageOptions options_;
    std::atomic<azure::Checksum::Kind> checksum_kind_;
    std::mutex feed_mutex_;     // one caller at a time for the feed
    mutable std::mutex mutex_;  // guards what follows
    std::vector<BlockId> ids_;  // by block; length 0 until it is known
    std::vector<Place> places_;
    std::map<Sha256Sum, std::uint32_t> occurrences_;
    StageTally tally_;
};

}  // namespace azlock::ops
