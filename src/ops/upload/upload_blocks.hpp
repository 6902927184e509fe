// Large content as parallel blocks and one conditional commit.
#pragma once

#include <functional>

#include "ops/upload/block_inventory.hpp"
#include "ops/upload/block_source.hpp"
#include "ops/upload/upload_target.hpp"

namespace azlock::ops {

// What uploads of one command share.
struct Transfer {
    Gate& gate;
    Meter meter;
};

// What is there before the first block is sent.
struct UploadStart {
    BlobBase base;
    BlockInventory present;  // empty where nothing is to be reused
};

// Looks, holds the user's conditions against what is there, and lists the blocks where that can pay. Foreign staged
// blocks that hinder ours are refused (precondition) or, if that was asked for, discarded.
[[nodiscard]] Result<UploadStart> begin_blocks(const Destination& destination, const azure::Call& call);

// The user's choice, then what the blob's own blocks say, then fixed blocks by default_block_size and SHA-256.
[[nodiscard]] PlanTag choose_plan(const UploadOptions& options, const BlockInventory& present, std::uint64_t file_size);

// Stages what is missing and commits. `before_commit` has the last word: an error of it leaves the blob as it was.
// `content_md5` (may be empty) is asked after the feed has ended, and stored.
struct CommitHooks {
    std::function<Status()> before_commit;
    std::function<Result<std::string>()> content_md5;
};
[[nodiscard]] Result<UploadReport> upload_blocks(const Destination& destination, UploadStart start, BlockFeed& feed,
                                                 const Transfer& transfer, const CommitHooks& hooks,
                                                 const azure::Call& call);

}  // namespace azlock::ops
