// Writing over exactly what was seen, and finding out what became of it when the answer is lost (design 6.1, 6.4).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/write/write_ring.hpp"

namespace azlock::ops {

// What a write is planned against: a blob's state at one moment.
struct BlobBase {
    bool exists = false;
    std::string etag;
    std::string blob_type;
    WriteRing ring;
    std::uint64_t content_length = 0;
    std::string content_md5 = {};  // Base64; empty where none is stored
    azure::Metadata metadata = {};
};

[[nodiscard]] BlobBase base_of(const azure::BlobProperties& found);

// HEAD. A missing blob is a base that does not exist; a missing container is an error.
[[nodiscard]] Result<BlobBase> look(azure::BlobClient& client, const azure::BlobAddress& blob,
                                    const azure::Conditions& conditions, const azure::Call& call);

// The condition under which a write replaces this base and nothing else.
[[nodiscard]] azure::Conditions only_over(const BlobBase& base, const std::string& lease_id);

struct Written {
    std::string etag;         // empty where somebody else's later write has replaced ours already
    bool recognised = false;  // the answer was lost; the write was found in the blob
};

// One write with its condition and the metadata that carries the ring. May be called again.
using GuardedWriteFunction =
    std::function<Result<azure::WriteResult>(const azure::Conditions& conditions, const WriteRing& ring)>;

// The write in a blob that shows it; nullopt where it does not.
[[nodiscard]] std::optional<Written> find_write(const BlobBase& present, std::uint64_t write_id);

// The error where a lost answer cannot be made up for because the look at the blob failed too.
[[nodiscard]] Error undecided(Error failure, const Error& look_error);

// Calls `write` once and, where it may have been carried out although it failed, looks at the blob. An Error without
// may_have_applied is a certain "no"; with it, code is unavailable and the hint says how to check, or it is cancelled.
// `write_id` must be new for every base.
[[nodiscard]] Result<Written> write_over(azure::BlobClient& client, const azure::BlobAddress& blob,
                                         const BlobBase& base, std::uint64_t write_id, const std::string& lease_id,
                                         const azure::Call& call, const GuardedWriteFunction& write);

// Decides by the blob as it is now what became of a failed write. Returns Written if it was carried out, else the
// error.
[[nodiscard]] Result<Written> settle(azure::BlobClient& client, const azure::BlobAddress& blob, const BlobBase& base,
                                     std::uint64_t write_id, Error failure, const azure::Call& call);

}  // namespace azlock::ops
