// Puts the lines of an input so that a run that failed can be repeated: each line becomes a task once.
//
// The blob PREFIX.batches/BATCH says how far the batch is. For each group of lines:
//   1. the tasks are written, marked as arriving: nobody runs or lists them, so none of them can be finished
//   2. the blob of the batch says that these lines are written
//   3. the tasks lose their mark
//   4. the blob of the batch says that these lines are in the queue
// Whoever repeats the batch sees which step was the last one, also if the program was killed.
#pragma once

#include <string>
#include <vector>

#include "base/digest.hpp"
#include "ops/queue/put.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::ops {

struct BatchOrder {
    std::string name;  // a task's id is this and the number of its line
    int priority = kDefaultPriority;
    azure::Metadata metadata;
    std::optional<WallTime> due;
    Progress* progress = nullptr;  // its items count the tasks; or null
};
// Error: usage.
[[nodiscard]] Status check_batch_name(const std::string& name);

// One run of a batch. References must outlive it.
class BatchPut {
  public:
    BatchPut(const Queue& queue, BatchOrder order, const azure::Call& call, const PutReport& report);

    // Makes the blob of the batch, or reads it. Call it first. Error: usage (the batch has another priority).
    [[nodiscard]] Status open();
    // The next lines of the input; each is reported in their order. Errors: data (the batch was begun with other
    // lines), precondition (another azlock puts this batch now, or another task has the id of a line), those of
    // put_task().
    [[nodiscard]] Status put(const std::vector<std::string>& lines);
    // The input has ended. Error: data (the batch was begun with more lines).
    [[nodiscard]] Status close();

  private:
    struct Line {
        std::string id;
        std::string key;
        std::string etag;  // of the written task; empty: not known
        azure::Metadata metadata;
        bool existed = false;
    };
    [[nodiscard]] Line line(std::uint64_t number) const;
    [[nodiscard]] Status seen_before(const std::string& text);
    [[nodiscard]] Status put_new(const std::vector<std::string>& lines, std::size_t first);
    [[nodiscard]] Status write(Line& line, const std::string& text, const azure::Call& call) const;
    [[nodiscard]] Status let_count(Line& line, const azure::Call& call) const;
    [[nodiscard]] Status let_all_count(std::vector<Line>& lines);
    [[nodiscard]] Status save(std::uint64_t written, std::uint64_t in);
    [[nodiscard]] Error other_input() const;

    const Queue& queue_;
    BatchOrder order_;
    const azure::Call& call_;
    const PutReport& report_;
    azure::BlobAddress blob_;  // of the batch
    std::string etag_;         // of blob_
    std::string key_;          // of the batch
    bool new_ = false;         // this run has made the batch
    std::string sum_before_;   // over the lines that were written before this run
    std::uint64_t written_ = 0;
    std::uint64_t in_ = 0;
    std::uint64_t read_ = 0;  // lines of this run
    Sha256Sum sum_{};         // over these
};

}  // namespace azlock::ops
