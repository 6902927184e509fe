// Stages the blocks of a file in parallel: hash a block, then send it under the id and checksum of that very pass.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "ops/block_id.hpp"
#include "ops/block_plan.hpp"
#include "ops/source_file.hpp"

namespace azlock::ops {

struct StageOptions {
    std::size_t concurrency = 4;
    std::string lease_id;
    PlanTag plan;
};

// One file's way into the staged blocks of one blob. The same bytes always get the same ids.
class Stager {
  public:
    Stager(azure::BlobClient& client, azure::BlobAddress blob, std::shared_ptr<const SourceFile> source,
           std::vector<BlockRange> blocks, StageOptions options);

    // Stages all blocks. On an error what is staged stays staged.
    [[nodiscard]] Status stage_all(const azure::Call& call);
    // After somebody's commit discarded staged blocks: asks what is there and stages the missing ones.
    [[nodiscard]] Status stage_missing(const azure::Call& call);
    // The committed list-to-be; complete after stage_all().
    [[nodiscard]] std::vector<azure::BlockListEntry> entries() const;
    [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }

  private:
    struct Digest {
        Sha256Sum hash{};
        azure::Checksum checksum;
    };
    [[nodiscard]] Status stage_one(std::size_t index, const azure::Call& call);
    [[nodiscard]] Result<Digest> digest(const BlockRange& block, azure::Checksum::Kind kind) const;
    [[nodiscard]] std::string id_for(std::size_t index, const Sha256Sum& hash);

    azure::BlobClient& client_;
    azure::BlobAddress blob_;
    std::shared_ptr<const SourceFile> source_;
    std::vector<BlockRange> blocks_;
    StageOptions options_;
    std::atomic<azure::Checksum::Kind> checksum_kind_;
    std::mutex mutex_;              // guards what follows
    std::vector<std::string> ids_;  // by block, empty until it is known
    std::map<Sha256Sum, std::uint32_t> occurrences_;
};

}  // namespace azlock::ops
