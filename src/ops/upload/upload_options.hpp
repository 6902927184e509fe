// The options of an upload and its report.
#pragma once

#include "azure/types.hpp"
#include "ops/write/block_id.hpp"
#include "ops/write/fence.hpp"

namespace azlock::ops {

struct UploadOptions {
    azure::ContentHeaders content;
    azure::Metadata metadata;
    std::string tags;  // "k=v&k2=v2", percent-encoded
    std::string access_tier;
    azure::Conditions conditions;  // of the user; every write uses the lease id
    std::optional<Fence> fence;    // every write has it, and replaces no write of a later holder
    bool create_container = false;

    // How to cut and hash. nullopt: as the blob's blocks are cut and hashed, else the default.
    std::optional<std::uint64_t> block_size;  // bytes; fixed cut
    std::optional<CutKind> cut;
    std::optional<HashKind> hash;

    bool reuse = true;            // reuse blocks that the blob already has
    bool must_resume = false;     // error (not_found) if no blocks of ours are staged
    bool discard_staged = false;  // drop foreign staged blocks that hinder ours, if that is safe
    bool leave_existing = false;  // with if_none_match "*": an existing blob is a success, and nothing is written
    bool replace_type = false;    // delete an append or page blob of that name first; not with a lease id
    bool skip_unchanged = false;  // write nothing if the blob is proven to hold these bytes
    bool put_md5 = false;         // store the whole content's MD5 as Content-MD5 (one Put Blob always has it)
    std::size_t concurrency = 4;  // threads for one source; as many work at once as the ConcurrencyLimit allows
};

struct UploadReport {
    std::string etag;  // empty if a later write has already replaced ours
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;    // bytes that were sent, each counted once
    std::uint64_t blocks = 0;  // 0: sent by Put Blob
    std::uint64_t reused_blocks = 0;
    std::optional<HashKind> hash;  // of the block ids
    bool recognised = false;       // the answer was lost, but the blob shows our write
    bool existed = false;          // nothing was written: leave_existing
    bool unchanged = false;        // nothing was written: the blob held these bytes
    bool unseen = false;           // the credential may not read the blob, so nothing could be reused
    [[nodiscard]] std::uint64_t reused() const { return bytes - sent; }
};

}  // namespace azlock::ops
