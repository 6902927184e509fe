// What an upload is told and what it tells.
#pragma once

#include <optional>
#include <string>

#include "azure/types.hpp"
#include "ops/transfer/concurrency_limit.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/upload/block_id.hpp"
#include "ops/write/fence.hpp"

namespace azlock::ops {

struct UploadOptions {
    azure::ContentHeaders content;
    azure::Metadata metadata;
    std::string tags;  // "k=v&k2=v2", percent-encoded
    std::string access_tier;
    azure::Conditions conditions;  // the user's; the lease id goes on every write
    std::optional<Fence> fence;    // every write carries it, and replaces no later holder's
    bool create_container = false;

    // How to cut and hash where the blob does not say so already: nullopt adopts what is there, then the default.
    std::optional<std::uint64_t> block_size;  // bytes; fixed cut
    std::optional<CutKind> cut;
    std::optional<HashKind> hash;

    bool reuse = true;            // look for blocks that are there already
    bool must_resume = false;     // without staged blocks of ours: not found
    bool discard_staged = false;  // foreign staged blocks that hinder ours are dropped where that is safe
    bool leave_existing = false;  // with if_none_match "*": a blob that is there is a success that writes nothing
    bool skip_unchanged = false;  // where the blob is proven to hold these bytes already, write nothing
    bool put_md5 = false;         // store the whole content's MD5 as Content-MD5 (one Put Blob always has it)
    std::size_t concurrency = 4;  // threads for one source; as many work at once as the gate lets in
};

struct UploadReport {
    std::string etag;  // empty where a later write has replaced ours already
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;    // bytes of those that were sent, once each
    std::uint64_t blocks = 0;  // 0: sent by Put Blob
    std::uint64_t reused_blocks = 0;
    std::optional<HashKind> hash;  // of the block ids
    bool recognised = false;       // the answer was lost; the blob shows that ours is in
    bool existed = false;          // nothing was written: leave_existing
    bool unchanged = false;        // nothing was written: the blob held these bytes
    [[nodiscard]] std::uint64_t reused() const { return bytes - sent; }
};

}  // namespace azlock::ops
