// Compare and swap: read a blob, make a new content out of what was read, write it over exactly that version; again
// where somebody else was faster.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/cas/transform.hpp"
#include "ops/write/fence.hpp"
#include "ops/write/kept_properties.hpp"

namespace azlock::ops {

struct CasOptions {
    std::string if_match;  // this version and no other is updated
    std::string lease_id;  // of a lease that the caller has on the blob
    std::optional<Fence> fence;
    bool create = false;  // a missing blob is made, out of `initial`
    std::string initial;
    bool touch = false;                         // write also where nothing changes
    std::uint64_t max_size = 64 * 1024 * 1024;  // bytes of the old content
    std::optional<int> max_tries;               // at least 1
    // From the start, for lost rounds and for leases in the way. Without it, a lease is waited for a minute each time.
    std::optional<std::chrono::nanoseconds> wait;
    bool take_turns = true;   // after lost rounds take a lease on the blob
    bool long_turns = false;  // the transform may take longer than a lease lasts
    PropertyChanges changes;
    std::string content_type;  // of a blob that is made, where `changes` say nothing
    // Lines for people: a tag that is lost, who is waited for; and with `lost_round` each version that came too late.
    std::function<void(const std::string&)> tell = [](const std::string&) {};
    std::function<void(const std::string&)> lost_round = [](const std::string&) {};
};

struct CasReport {
    enum class Outcome { written, unchanged, skipped };
    Outcome outcome = Outcome::written;
    std::string etag;  // empty where a later write has replaced ours already, or there is no blob
    std::uint64_t bytes = 0;
    bool created = false;
    bool recognised = false;  // an answer was lost; the blob showed that ours is in
    int tries = 0;            // versions that the transform saw
    int turns = 0;            // of them under a lease
    std::string value;        // the transform's
};

// One update is carried out at most once, whatever answers are lost, and exactly once on success. Errors: precondition
// where others were faster to the end; busy where a lease was in the way to the end; unavailable with may_have_applied
// where nobody can tell; not_found; data; a fence's and the transform's own.
[[nodiscard]] Result<CasReport> cas_update(azure::BlobClient& client, const azure::BlobAddress& blob,
                                           const CasTransform& transform, const CasOptions& options,
                                           const azure::Call& call);

}  // namespace azlock::ops
