// Replaces only the version that was seen, and finds out the result if the answer is lost (docs/upload.md,
// docs/rest.md).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/write/write_ring.hpp"

namespace azlock::ops {

// The id in a ring for "there was no blob", so that a ring with a single id is that of a write that looked at nothing.
inline constexpr std::uint64_t kNothing = 0;

// What a write is planned against: a blob's state at one moment.
struct BlobBase {
    bool exists = false;
    std::string etag;
    std::string blob_type;
    WriteRing ring;  // never empty if the blob was seen and exists
    std::uint64_t content_length = 0;
    std::string content_md5 = {};  // Base64; empty if none is stored
    azure::Metadata metadata = {};
    std::string lock_of = {};  // the holder, if it is the blob of a lock whose command may run
    // false: the credential may not read. `exists` and `etag` are what the write demands; no ETag: any version.
    bool seen = true;
};

[[nodiscard]] BlobBase base_of(const azure::BlobProperties& found);

// Sends a HEAD request. A missing blob gives a base with exists = false; a missing container is an error.
[[nodiscard]] Result<BlobBase> read_base(azure::BlobClient& client, const azure::BlobAddress& blob,
                                         const azure::Conditions& conditions, const azure::Call& call);

// The condition under which a write replaces this base and nothing else.
[[nodiscard]] azure::Conditions only_over(const BlobBase& base, const std::string& lease_id);

struct Written {
    std::string etag;         // empty if somebody else's later write has already replaced ours
    bool recognised = false;  // the answer was lost; the write was found in the blob
};

// Sends one write with these conditions and with the ring in its metadata. May be called again.
using ConditionalWrite =
    std::function<Result<azure::WriteResult>(const azure::Conditions& conditions, const WriteRing& ring)>;

// True if the last writer of this version was an azlock that had not looked at the blob before and set no condition on
// what was there: it may have replaced any version.
[[nodiscard]] bool written_blindly(const BlobBase& present);

// Finds our write in the ring of the blob; nullopt if it is not there.
[[nodiscard]] std::optional<Written> find_write(const BlobBase& present, std::uint64_t write_id);

// The error if the answer was lost, and the blob does not tell whether the write was carried out.
[[nodiscard]] Error unresolved(Error failure);
// The error if an answer was lost and the look at the blob failed too.
[[nodiscard]] Error undecided(Error failure, const Error& look_error);

// Calls `write` once. If it failed but may have been carried out, looks at the blob. An error without may_have_applied
// is a certain "no". With it, the code is unavailable and the hint says how to check, or the code is cancelled.
// `write_id` must be new for every base.
[[nodiscard]] Result<Written> write_over(azure::BlobClient& client, const azure::BlobAddress& blob,
                                         const BlobBase& base, std::uint64_t write_id, const std::string& lease_id,
                                         const azure::Call& call, const ConditionalWrite& write);

// Finds out the result of a failed write from the blob's current state. Returns Written if it was carried out, else the
// error. `first_sent`: a time before the write was sent. If the blob's version is older, it is not the base, and so it
// refuses the write: precondition.
[[nodiscard]] Result<Written> resolve_lost_answer(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                  const BlobBase& base, std::uint64_t write_id, BootTime first_sent,
                                                  Error failure, const azure::Call& call);

// True if the version that was looked at was surely written after the time `ago` before the answer.
[[nodiscard]] bool written_since(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds ago);
// True if the version that was looked at surely existed `ago` before the answer. The service's dates count whole
// seconds, so the answer is "no" for the two seconds before.
[[nodiscard]] bool existed_before(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds ago);

}  // namespace azlock::ops
