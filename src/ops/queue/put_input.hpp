// Puts what a stream holds into a queue: as one task, or as a task for each line.
#pragma once

#include "ops/queue/put.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::ops {

struct PutOptions {
    std::string id;  // of the one task; empty: a new one
    int priority = kDefaultPriority;
    azure::Metadata metadata;
    std::optional<std::chrono::milliseconds> delay;  // the task does not start before, by the service's clock
    bool lines = false;                              // a task for each line, without its newline and if not empty
    std::string batch;                               // of these lines, so that a repeat puts none twice (put_batch.hpp)
    bool if_absent = false;                          // a task that exists already is a success
    bool create_container = false;
    Progress* progress = nullptr;  // of lines: their bytes, and the tasks as items; or null
};

// Reads the stream `fd` to its end; `name` is for errors. A task with an id is not put if the queue, with any priority,
// or its dead letters have that id. Lines are put 16 at once and reported in their order; lines that have arrived do
// not wait for more. After an error the lines that are being put end; then it says which ones are in. Errors: usage (a
// name that cannot be used), precondition (the id is taken), data (a line is too long), input_missing, those of
// put_task().
[[nodiscard]] Status put_input(const Queue& queue, const PutOptions& options, int fd, const std::string& name,
                               const azure::Call& call, const PutReport& report);

// The same for a file; "-": standard input.
[[nodiscard]] Status put_file(const Queue& queue, const PutOptions& options, const std::string& file,
                              const azure::Call& call, const PutReport& report);

}  // namespace azlock::ops
