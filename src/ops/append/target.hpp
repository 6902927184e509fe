// The blob that azlock appends to: reads its state, creates it, and names its parts NAME.0001, NAME.0002, ...
#pragma once

#include "azure/client.hpp"

namespace azlock::ops {

// An append blob takes no more blocks than this [Scalability targets].
inline constexpr std::uint64_t kMostAppendBlocks = 50'000;

// What is known about the blob. It stays true while we hold the lease.
struct AppendState {
    std::string etag;
    std::uint64_t length = 0;
    bool length_known = true;  // false: the credential may not read, and no append has told the length yet
    std::uint64_t blocks = 0;
    bool sealed = false;
    azure::Metadata metadata = {};  // when the blob was last read
};

// Sends a HEAD request. With `lease_id`: succeeds only while the blob is leased with that id. Errors: not_found;
// precondition if the blob has another type.
[[nodiscard]] Result<AppendState> look_at_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                      const std::string& lease_id, const azure::Call& call);

// Creates an empty append blob. A blob that already exists is a success too, whoever created it.
[[nodiscard]] Status create_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                        const std::string& content_type, const azure::Call& call);

// The errors for a blob that takes no more bytes.
[[nodiscard]] Error refuse_sealed(const azure::BlobAddress& blob);
[[nodiscard]] Error refuse_full(const azure::BlobAddress& blob, const AppendState& state,
                                std::optional<std::uint64_t> max_size);

// Part 0 is NAME itself, part 1 NAME.0001.
[[nodiscard]] azure::BlobAddress part_of(const azure::BlobAddress& first, std::uint64_t number);
// The highest part number, found by listing the blobs; 0 if there are no numbered parts.
[[nodiscard]] Result<std::uint64_t> last_part(azure::BlobClient& client, const azure::BlobAddress& first,
                                              const azure::Call& call);

}  // namespace azlock::ops
