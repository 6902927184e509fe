// Drops the staged blocks of a blob without changing its content, if the protocol has a safe way to do that.
#pragma once

#include "ops/upload/block_inventory.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::ops {

// A running upload of somebody else loses its staged blocks. There are two ways (docs/upload.md):
//  * The committed blocks are the whole content: they are committed again, with all properties, metadata, tags and
//    tier, under If-Match.
//  * Nothing is committed: the uncommitted blob is leased and deleted with that lease.
// Else the error is precondition: content that Put Blob wrote is in no block list.
[[nodiscard]] Status discard_staged(azure::BlobClient& client, const azure::BlobAddress& blob,
                                    const std::string& lease_id, const azure::Call& call);

// The same for all staged blocks, also those of azlock: a delete of these alone. Returns what was staged; nothing
// staged is a success. Error: usage, if `options` has more than a lease id.
[[nodiscard]] Result<BlockInventory::Tally> drop_staged(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                        const DeleteOptions& options, bool dry_run,
                                                        const azure::Call& call);

}  // namespace azlock::ops
