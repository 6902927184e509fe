// Who holds a lease: the record that the holder leaves in the metadata of the blob (design 6.2), written and read.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Texts are plain here and percent-encoded in the metadata where a header could not carry them. Empty, or without a
// value: not there.
struct OwnerRecord {
    std::optional<std::uint64_t> fence;                    // azl_fence
    std::string owner;                                     // azl_owner: the user
    std::string host;                                      // azl_host
    std::optional<std::uint64_t> pid;                      // azl_pid
    std::string command;                                   // azl_command: argv[0], never its arguments
    std::string run;                                       // azl_run: which CI run, a URL where there is one
    std::optional<WallTime> since;                         // azl_since: by the service's clock
    std::optional<std::chrono::milliseconds> ttl;          // azl_ttl: of a finite lease
    std::optional<std::chrono::milliseconds> renew_every;  // azl_renew_every: how soon the holder notices a break
    std::optional<std::chrono::milliseconds> kill_after;   // azl_kill_after: how long its command may take to end
    std::optional<std::uint64_t> slots;                    // azl_slots
    std::map<std::string, std::string> extra;              // azl_KEY: what the user wrote; keys in lower case
    std::set<std::string> unreadable;  // names of metadata that is there but is no such value: "azl_fence"

    // Nobody has written anything about a holder (a fence or a number of slots is about the lock).
    [[nodiscard]] bool empty() const;
};

// Never fails: what is not readable counts as not there and is named in `unreadable`. Durations above 60 s are not
// readable: no lease lasts longer.
[[nodiscard]] OwnerRecord read_owner_record(const azure::Metadata& metadata);

// The metadata to write: `present` with the former holder's record replaced by this one. Everything else stays, also
// azl_fence and azl_slots where the record has none of its own. Long texts are cut.
[[nodiscard]] azure::Metadata with_owner_record(const azure::Metadata& present, const OwnerRecord& record);

// A mark that the holder named in the metadata's record is dead. It counts for that record only, so that it says
// nothing of a later holder. No mark is made where there is no record.
[[nodiscard]] azure::Metadata with_dead_mark(const azure::Metadata& present);
[[nodiscard]] bool holder_is_dead(const azure::Metadata& metadata);

// "deploy@ci-7 pid 4121 for 12 min, run https://..."; "somebody who left no record" where it is empty. One line. `now`
// is the service's time.
[[nodiscard]] std::string describe_owner(const OwnerRecord& record, std::optional<WallTime> now);

// One field by the word that people use for it (owner, host, pid, command, run, fence, or a KEY of theirs); nullopt
// where there is none.
[[nodiscard]] std::optional<std::string> owner_field(const OwnerRecord& record, std::string_view key);
// Sets one by its word. Error (usage): no metadata name, or one that azlock itself keeps (fence, since, ttl, ...).
[[nodiscard]] Status set_owner_field(OwnerRecord& record, std::string_view key, const std::string& value);

}  // namespace azlock::ops
