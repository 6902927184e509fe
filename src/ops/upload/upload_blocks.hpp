// Uploads large content as parallel blocks and one conditional commit.
#pragma once

#include "ops/transfer/transfer.hpp"
#include "ops/upload/block_inventory.hpp"
#include "ops/upload/block_source.hpp"
#include "ops/upload/upload_target.hpp"

namespace azlock::ops {

// The blob's state before the first block is sent.
struct UploadStart {
    BlobBase base;
    BlockInventory present;  // empty if nothing may be reused
};

// Reads the blob, checks the user's conditions, and lists the blocks if the options need the list and the credential
// may read. Foreign staged
// blocks that hinder ours are dropped if the options say so; else they are an error (precondition).
[[nodiscard]] Result<UploadStart> begin_blocks(const UploadTarget& destination, const azure::Call& call);

// The user's choice, else the plan of the blob's own blocks, else fixed blocks of default_block_size() and SHA-256.
[[nodiscard]] PlanTag choose_plan(const UploadOptions& options, const BlockInventory& present, std::uint64_t file_size);

// Called by upload_blocks(), which stages the missing blocks and commits; each may be empty. An error of
// `before_commit` leaves the blob unchanged. `content_md5` is called after the source has ended, and its result is
// stored. It may read the source: changes are looked for after it.
struct CommitHooks {
    std::function<Status()> before_commit;
    std::function<Result<std::string>()> content_md5;
};
[[nodiscard]] Result<UploadReport> upload_blocks(const UploadTarget& destination, UploadStart start,
                                                 BlockSource& block_source, const Transfer& transfer,
                                                 const CommitHooks& hooks, const azure::Call& call);

}  // namespace azlock::ops
