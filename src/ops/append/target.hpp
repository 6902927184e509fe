// The append blob that is appended to: looked at, made, sealed; and its continuations NAME.0001, NAME.0002, ...
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// An append blob takes no more blocks than this [blob-rest 3.0].
inline constexpr std::uint64_t kMostAppendBlocks = 50'000;

// What is known of the blob. Whoever holds its lease knows it to be so.
struct AppendState {
    std::string etag;
    std::uint64_t length = 0;
    std::uint64_t blocks = 0;
    bool sealed = false;
    azure::Metadata metadata = {};  // as looked at
};

// HEAD. `lease_id`: succeeds only while the lease has it. Errors: not_found, precondition for a blob of another type.
[[nodiscard]] Result<AppendState> look_at_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                      const std::string& lease_id, const azure::Call& call);

// Makes it, empty. That it exists already, whoever made it, is success.
[[nodiscard]] Status create_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                        const std::string& content_type, const azure::Call& call);

[[nodiscard]] bool is_missing_blob(const Error& error);
// Why it takes nothing more, as an error.
[[nodiscard]] Error refuse_sealed(const azure::BlobAddress& blob);
[[nodiscard]] Error refuse_full(const azure::BlobAddress& blob, const AppendState& state,
                                std::optional<std::uint64_t> max_size);

// Part 0 is NAME itself, part 1 NAME.0001.
[[nodiscard]] azure::BlobAddress part_of(const azure::BlobAddress& first, std::uint64_t number);
// The highest number that a part of it has, by a list of the blobs; 0 where there is none but perhaps itself.
[[nodiscard]] Result<std::uint64_t> last_part(azure::BlobClient& client, const azure::BlobAddress& first,
                                              const azure::Call& call);

}  // namespace azlock::ops
