// The owner record says who holds a lease. The holder leaves it in the metadata of the blob (docs/lock.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Texts are plain here; in the metadata, what a header cannot carry is percent-encoded. An empty text or nullopt: the
// field is missing.
struct OwnerRecord {
    std::optional<std::uint64_t> fence;                    // azl_fence
    std::string owner;                                     // azl_owner: the user
    std::string host;                                      // azl_host
    std::optional<std::uint64_t> pid;                      // azl_pid
    std::string command;                                   // azl_command: argv[0], never its arguments
    std::string run;                                       // azl_run: the CI run, as a URL if it has one
    std::optional<WallTime> since;                         // azl_since: by the service's clock
    std::optional<std::chrono::milliseconds> ttl;          // azl_ttl: of a finite lease
    std::optional<std::chrono::milliseconds> renew_every;  // azl_renew_every: how soon the holder notices a break
    std::optional<std::chrono::milliseconds> kill_after;   // azl_kill_after: how long its command may take to end
    std::optional<std::uint64_t> former;  // azl_former, 1: ttl and the other times are of a former holder, see below
    std::optional<std::uint64_t> slots;   // azl_slots
    std::map<std::string, std::string> extra;  // azl_KEY: what the user wrote; keys in lower case
    std::set<std::string> unreadable;          // names of metadata whose value cannot be read: "azl_fence"

    // The record says nothing about a holder (a fence or a number of slots belongs to the lock).
    [[nodiscard]] bool empty() const;
};

// A mark that goes with the record of a former holder (quarantine_mark.hpp).
inline constexpr const char* kQuarantineMark = "azl_quarantine";

// Never fails: a value that cannot be read counts as missing and is named in `unreadable`. So is a duration above 60 s,
// because no finite lease lasts longer.
[[nodiscard]] OwnerRecord read_owner_record(const azure::Metadata& metadata);

// The metadata to write: `present` with the former holder's record replaced by this one. Marks are removed. All other
// metadata stays; azl_fence and azl_slots stay if the record does not set them. Long texts are cut.
[[nodiscard]] azure::Metadata with_owner_record(const azure::Metadata& present, const OwnerRecord& record);

// Marks the metadata's record: its holder is dead (an operator says so), or its command has ended (the holder says so).
// The mark counts only for that record, not for a later holder. No mark is added if there is no record; the dead mark
// then removes the times that with_former_times() has kept.
[[nodiscard]] azure::Metadata with_dead_mark(const azure::Metadata& present);
[[nodiscard]] azure::Metadata with_ended_mark(const azure::Metadata& present);
[[nodiscard]] bool holder_is_dead(const azure::Metadata& metadata);
// The record is that of a holder with a command (it has azl_kill_after), and it has no mark.
[[nodiscard]] bool command_may_run(const azure::Metadata& metadata);
// The record has a mark, so it is not about whoever holds the lease now.
[[nodiscard]] bool record_is_over(const azure::Metadata& metadata);
// The record with the times of a former holder whose command may still run, so that the next lock still waits for it.
[[nodiscard]] OwnerRecord with_former_times(OwnerRecord record, const azure::Metadata& present);
// Identifies a record: the record of a later holder has another identity. Five parts, with a slash between them.
[[nodiscard]] std::string identity_of(const OwnerRecord& record);
// Both have the record of the same holder.
[[nodiscard]] bool same_holder(const azure::Metadata& a, const azure::Metadata& b);

// "deploy@ci-7 pid 4121 for 12 min, run https://..."; "somebody who left no record" if it is empty. One line. `now` is
// the service's time.
[[nodiscard]] std::string describe_owner(const OwnerRecord& record, std::optional<WallTime> now);

// One field by its name for users (owner, host, pid, command, run, fence, or a KEY of their own); nullopt if it is
// missing.
[[nodiscard]] std::optional<std::string> owner_field(const OwnerRecord& record, std::string_view key);
// Sets a field by its name. Error (usage): the name is not a metadata name, azlock itself fills in the field (fence,
// since, ttl, ...), or the value is not UTF-8 or, for pid, not a number.
[[nodiscard]] Status set_owner_field(OwnerRecord& record, std::string_view key, const std::string& value);
// The same for each "KEY=VALUE" of --owner.
[[nodiscard]] Status set_owner_fields(OwnerRecord& record, const std::vector<std::string>& pairs);

}  // namespace azlock::ops
