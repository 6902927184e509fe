// The options of a compare-and-swap update and its report.
#pragma once

#include "ops/write/fence.hpp"
#include "ops/write/kept_properties.hpp"

namespace azlock::ops {

inline constexpr const char* kAnyVersion = "*";

struct CasOptions {
    std::string if_match;  // only this version is updated; kAnyVersion: the blob must exist
    std::string lease_id;  // of a lease that the caller has on the blob
    std::optional<Fence> fence;
    bool create = false;  // a missing blob is created; the transform starts from `initial`
    std::string initial;
    bool touch = false;                         // write even if nothing changes
    std::uint64_t max_size = 64 * 1024 * 1024;  // bytes of the old content, and of the new
    std::optional<int> max_tries;               // at least 1
    // How long the update may take in all, with lost rounds and leases in the way. nullopt: lost rounds have no limit,
    // and each wait for a lease takes at most a minute.
    std::optional<std::chrono::nanoseconds> wait;
    bool take_turns = true;   // after lost rounds take a lease on the blob
    bool long_turns = false;  // the transform may take longer than a lease lasts
    PropertyChanges changes;
    std::string content_type;  // of a created blob, if `changes` does not set it
    // `tell` gets lines for people: tags that will be lost, the holder that azlock waits for. `lost_round` gets a line
    // for each lost round.
    std::function<void(const std::string&)> tell = [](const std::string&) {};
    std::function<void(const std::string&)> lost_round = [](const std::string&) {};
};

struct CasReport {
    enum class Outcome { written, unchanged, skipped };
    Outcome outcome = Outcome::written;
    std::string etag;  // empty if a later write has replaced ours already, or there is no blob
    std::uint64_t bytes = 0;
    bool created = false;
    bool recognised = false;            // an answer was lost; the blob showed that our write was carried out
    int tries = 0;                      // versions that the transform saw
    int turns = 0;                      // how many of them under a turn
    std::optional<std::int64_t> value;  // the transform's
};

}  // namespace azlock::ops
