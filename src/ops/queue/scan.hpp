// Finds the next task to claim. One page of the listing serves many claims, and workers choose different tasks.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ops/queue/task.hpp"

namespace azlock::ops {

// Thread-safe. One thread lists, the others wait for it.
class QueueScanner {
  public:
    // Entries in one page of the listing. Tests use fewer.
    static constexpr int kPageSize = 1000;
    // A listing is not used for longer, so that tasks that were put or became ready since then are found.
    static constexpr std::chrono::seconds kPageLife{5};

    // Pages in front of the first ready task are listed again after this many times as long as that took.
    static constexpr int kFrontLife = 10;

    explicit QueueScanner(const Queue& queue, int page_size = kPageSize)
        : client_(queue.many), queue_(queue.name), page_size_(page_size) {}

    // One of the most urgent tasks that were ready in the listing. nullopt: a whole listing had no ready task. If
    // nobody else works on the queue, tasks come in the order of their names, else at random. A listing may leave out
    // the pages in front that had no ready task a while ago (kFrontLife), but not if it finds no task then.
    [[nodiscard]] Result<std::optional<QueueTask>> next(const azure::Call& call);
    // The result for a task of next(): we claimed it, or somebody else was first.
    void took();
    void missed();
    // A task that we had claimed is finished or given back.
    void ended();
    // next() does not give this task again until its content or its tier changes.
    void leave_out(const QueueTask& task);

    // What the last whole listing without a ready task showed.
    struct Rest {
        std::size_t running = 0;     // by others
        std::size_t pausing = 0;     // after a failed attempt
        std::size_t delayed = 0;     // all others that are delayed
        BootTime due = kNoDeadline;  // when the first task of these two kinds becomes ready
    };
    [[nodiscard]] Rest rest() const;

  private:
    [[nodiscard]] Status list(const azure::Call& call);
    void pass_front(BootTime now);
    [[nodiscard]] QueueTask pick();

    azure::BlobClient& client_;
    QueueName queue_;
    int page_size_;
    mutable std::mutex mutex_;
    std::vector<QueueTask> ready_;  // of the page, in the order of names
    std::string marker_;            // of the next page; empty: the next listing is a new one
    BootTime listed_{};             // the first page of the listing with a ready task, or a page before that
    // The pages from the beginning that had no ready task, up to the first one that had.
    struct Front {
        std::string marker;  // of the page behind them; empty: there are none
        BootTime begun{};
        BootTime until{};  // then they are listed again
        Rest shows;
    };
    Front front_;
    bool skipped_ = false;   // the listing began behind the front
    bool in_front_ = false;  // no page of the listing had a ready task yet
    std::set<std::string> left_out_;
    std::size_t ours_ = 0;
    std::size_t hits_ = 0;  // since the listing began
    std::size_t misses_ = 0;
    bool handed_out_ = false;  // a task of this listing
    Rest rest_;
    Rest so_far_;
};

}  // namespace azlock::ops
