// The use-case of append: all of an input goes to a blob, and at the end it is known what is missing.
#pragma once

#include "ops/append/appender.hpp"
#include "ops/append/input/input.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::ops {

struct AppendSource {
    std::string file;       // empty: standard input
    bool follow = false;    // the file grows, and is read until a stop, also after a log rotation
    bool from_end = false;  // with `follow`: without what the file holds at the start
    bool resume = false;    // with `whole`: the bytes that the blob has already are left out
    // The content of the file, if it has an end. A stop before this end is an error, even if all that was read is sent.
    std::shared_ptr<const http::Body> whole = {};
    std::vector<std::string> command = {};  // if not empty: its output is the input
    std::function<int()> signal = {};       // the signal that the command gets after a stop
};

struct AppendRun {
    AppendSource source;
    AppendInputOptions input;
    AppenderOptions appender;
    // After a stop, what was read is still sent for this time. A command gets four fifths of it to end.
    std::chrono::nanoseconds time_to_stop{0};
    // The same with the time to release the lease.
    [[nodiscard]] std::chrono::seconds stop_time() const {
        return std::chrono::ceil<std::chrono::seconds>(time_to_stop) + std::chrono::seconds(5);
    }
    AppendInput::Say say;          // messages for people, from several threads
    Progress* progress = nullptr;  // or null
};

struct AppendEnd {
    Status status;
    bool all_sent = false;              // all bytes that were read are in the blob, so that the report counts
    bool lost = false;                  // bytes that were read are missing. That is the outcome, even if a signal came
    std::optional<int> exit_code = {};  // of the command, or why it was not started (os/exit_status.hpp)
    AppendReport report = {};
    std::uint64_t skipped = 0;  // bytes of the file that were in the blob already
    std::uint64_t split_lines = 0;
};

// The client must make one attempt per call. Nothing more is read after the call's stop. A blob that is created without
// a content type gets that of its name. A spool is for this blob of this account. Error (usage), among others: the
// address names no blob.
[[nodiscard]] AppendEnd run_append(azure::BlobClient& client, const azure::BlobAddress& blob, AppendRun run,
                                   const azure::Call& call);

}  // namespace azlock::ops
