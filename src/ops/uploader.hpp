// Uploads one file: a single Put Blob up to one block, else parallel blocks and one conditional commit.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

struct UploadOptions {
    azure::ContentHeaders content;
    azure::Metadata metadata;
    std::string tags;
    std::string access_tier;
    azure::Conditions conditions;  // the user's; the lease id goes on every write
    std::optional<std::uint64_t> block_size;
    std::size_t concurrency = 4;
    bool create_container = false;
};

struct UploadReport {
    std::string etag;  // empty where a later write has replaced ours already
    std::uint64_t bytes = 0;
    std::size_t blocks = 0;   // 0: sent by Put Blob
    bool recognised = false;  // the answer was lost; the blob shows that ours is in
};

// The blob holds either all of the file or what it held before, whatever happens in between: blocks that were staged
// stay staged, committed data is replaced by the commit alone, and that only over the version it was planned against.
// A file of one block without a condition is one unguarded Put Blob, repeated only over what a look has shown; that
// first one could still arrive after later writes where the network holds it back for so long.
// Errors: data (the file changed while it was read), precondition (the user's condition), busy (leased), ...
[[nodiscard]] Result<UploadReport> upload_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                               const std::string& path, const UploadOptions& options,
                                               const azure::Call& call);

}  // namespace azlock::ops
