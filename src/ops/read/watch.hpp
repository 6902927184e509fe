// Runs a command for each change of a blob, one at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/read/blob_watch.hpp"
#include "os/child.hpp"
#include "os/signals.hpp"

namespace azlock::ops {

struct WatchOptions {
    std::vector<std::string> command;  // runs for each new version, with its content on standard input
    std::string on_delete;             // what /bin/sh runs after a deletion, with empty input; empty: nothing
    // Holds the version that was handled last (empty: there was no blob); the watch begins after it, if the file
    // exists. A version whose command failed is not saved, so that the next watch handles it again. Empty: no file.
    std::string etag_file;
    bool initial = false;  // the version at the start is a change, too
    bool once = false;     // end after the first run, with `retry` after the first one that succeeds
    // A command that failed runs again for the same version after this time, unless a newer version comes; nullopt: it
    // does not.
    std::optional<std::chrono::milliseconds> retry;
    bool output_to_errors = false;  // of the commands
    std::chrono::milliseconds interval{10'000};
    std::chrono::milliseconds kill_after{10'000};  // see run_supervised()
};

// Gets what happens. An error ends the watch.
struct WatchObserver {
    std::function<Status(const WatchEvent&)> on_event;
    // The command that ran for this event has ended. `again`: the time until it runs again.
    std::function<Status(const WatchEvent&, const os::ChildEnd&, std::chrono::nanoseconds took,
                         std::optional<std::chrono::nanoseconds> again)>
        on_end;
};

struct WatchEnd {
    Status status;  // success only with `once`
    // If the command or a signal decides it: the command's code with `once`, 126 or 127 if it cannot be run, 128+N
    // after a signal during a run.
    std::optional<int> exit_code = {};
};

// The commands get AZLOCK_BLOB and AZLOCK_ETAG (after a deletion: of the last version). Signals during a run go to the
// command; the watch ends after it. Errors: usage (no time between two looks or runs), those of BlobWatch, of the ETag
// file, of a command that cannot be started.
[[nodiscard]] WatchEnd watch_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                  const WatchOptions& options, const WatchObserver& observer, os::SignalSource& signals,
                                  const azure::Call& call);

}  // namespace azlock::ops
