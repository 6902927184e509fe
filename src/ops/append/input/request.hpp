// What a user says about the input of an append, and the options made from it: which wishes contradict one another,
// which sizes fit together, and what holds without a wish.
#pragma once

#include "ops/append/input/run.hpp"
#include "ops/append/request.hpp"

namespace azlock::ops {

inline constexpr const char* kRfc3339 = "rfc3339";

struct AppendInputRequest {
    std::string file;                  // empty or "-": standard input
    bool exec = false;                 // the output of `command` is the input
    std::vector<std::string> command;  // with `exec`
    bool follow = false;
    std::string follow_from;  // "start" (default) or "end"
    bool resume = false;      // the blob's bytes are compared with the file
    bool tee = false;         // a copy goes to standard output
    bool json = false;        // standard output carries the summary

    CutOptions cut;                                           // `lines` and `complete_last`
    std::string timestamp;                                    // kRfc3339 or a format; empty: none
    std::string prefix;                                       // before each line
    std::optional<std::uint64_t> batch_size;                  // nullopt: fits into one block
    std::optional<std::chrono::milliseconds> flush_interval;  // nullopt: AppendPace
    std::optional<std::uint64_t> buffer;                      // nullopt: holds two batches
    std::string on_full;                                      // "block" (default), "spool" or "drop-oldest"
    std::string spool_dir;                                    // with "spool"
    std::optional<std::uint64_t> spool_max;
    std::optional<std::uint64_t> max_size;  // of the blob, so that no block is larger

    [[nodiscard]] bool has_file() const { return !file.empty() && file != "-"; }
    // A pipe, or a file that grows: the input has no end that is known, and a pipe cannot be read again.
    [[nodiscard]] bool endless() const { return !has_file() || follow; }
};

// Without the destination of a spool. Error: usage.
[[nodiscard]] Result<AppendInputOptions> make_append_input(const AppendInputRequest& request);

// Opens a file that has an end, so that its length is known; a special file such as a named pipe has none, which
// `resume` does not allow. Without `signal`. Errors: input_missing, usage, data.
[[nodiscard]] Result<AppendSource> make_append_source(const AppendInputRequest& request);

// All that run_append() needs, except `say` and `source.signal`. `resume` and `max_size` of the input are those of the
// request. Errors: those of make_append_input(), make_appender_options() and make_append_source().
[[nodiscard]] Result<AppendRun> prepare_append(const AppendRequest& request, AppendInputRequest input);

}  // namespace azlock::ops
