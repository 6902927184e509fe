// What a user asks of a lock, and the options of the run that follow from it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ops/lock/locked_run.hpp"

namespace azlock::ops {

struct LockRequest {
    LockedRunOptions run;  // name, number of slots, run_timeout, on_lost
    std::chrono::milliseconds ttl = kDefaultTtl;
    std::optional<std::chrono::milliseconds> kill_after;
    std::vector<std::string> owner_fields;  // KEY=VALUE
    std::string orphans = "wait";           // see read_orphans()
    bool no_quarantine = false;
    bool no_reentrant = false;
};

// The words of the command: those after `--`, or /bin/sh -c with `shell_text`. Error: usage (both were given).
[[nodiscard]] Result<std::vector<std::string>> command_words(const std::string& shell_text,
                                                             const std::vector<std::string>& after_dashes);

// "wait", "kill" or "leave". Error: usage.
[[nodiscard]] Result<Orphans> read_orphans(const std::string& word);

// Makes the options of a run, without `blobs` and `status_path`. `holder`: the record of this process, with its
// command; owner_fields replace its fields. Error: usage (times that do not fit together, a field that cannot be set).
[[nodiscard]] Result<LockedRunOptions> make_locked_run(const LockRequest& request, const OwnerRecord& holder);

// The same for a candidate of an election: it is never reentrant and does not get the terminal. `id`: its name in the
// record, instead of the user's. Errors: usage, also if the id is empty or the processes of one term could still run
// during the next.
[[nodiscard]] Result<LockedRunOptions> make_candidate(const LockRequest& request, const OwnerRecord& holder,
                                                      const std::optional<std::string>& id);

}  // namespace azlock::ops
